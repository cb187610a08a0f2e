/// The hot loop of inflating: its state in local variables, without any check of single bytes.
struct InflateRun {
    enum End {
        /// Little input or room is left.
        case exhausted
        case endOfBlock
        case invalidLiteral
        case invalidDistance
        case tooFarBack
    }
    var bits: UInt64
    var count: Int
    var next: UnsafePointer<UInt8>
    var out: UnsafeMutablePointer<UInt8>

    /// At least 56 bits in `bits`. What stands above `count` is the same input again.
    @inline(__always) private mutating func fill() {
        bits |= UnsafeRawPointer(next).loadUnaligned(as: UInt64.self) &<< UInt64(truncatingIfNeeded: count)
        next += (63 &- count) &>> 3
        count |= 56
    }
    @inline(__always) private mutating func drop(_ entry: UInt32) {
        bits &>>= UInt64(entry & 63)
        count &-= Int(entry & 63)
    }
    @inline(__always) private mutating func put(_ entry: UInt32) {
        out.pointee = UInt8(truncatingIfNeeded: entry &>> 16)
        out += 1
        drop(entry)
    }
    @inline(__always) private mutating func take(_ entry: UInt32) -> Int {
        let extra = (bits & (1 &<< UInt64(entry & 63) &- 1)) &>> UInt64((entry &>> 8) & 31)
        drop(entry)
        return Int(entry &>> 16) &+ Int(truncatingIfNeeded: extra)
    }

    /// - Parameters:
    ///   - inputEnd: 32 more bytes can be read behind it.
    ///   - outputEnd: 300 more bytes can be written behind it.
    ///   - oldest: the first byte of the output, or of what is left of it.
    mutating func decode(
        _ literals: UnsafePointer<UInt32>, _ distances: UnsafePointer<UInt32>, inputEnd: UnsafePointer<UInt8>,
        outputEnd: UnsafeMutablePointer<UInt8>, oldest: UnsafeMutablePointer<UInt8>
    ) -> End {
        while next < inputEnd && out < outputEnd {
            fill()
            var entry = literals[Int(bits & 2047)]
            if entry & HuffmanTable.literal != 0 {
                put(entry)
                entry = literals[Int(bits & 2047)]
                if entry & HuffmanTable.literal != 0 {
                    put(entry)
                    entry = literals[Int(bits & 2047)]
                    if entry & HuffmanTable.literal != 0 {
                        put(entry)
                        continue
                    }
                }
                fill()
            }
            if entry & HuffmanTable.exceptional != 0 {
                if entry & HuffmanTable.link != 0 {
                    drop(11)
                    entry =
                        literals[
                            Int(entry &>> 16) &+ Int(bits & (1 &<< UInt64((entry &>> 8) & 31) &- 1))]
                    if entry & HuffmanTable.literal != 0 {
                        put(entry)
                        continue
                    }
                }
                if entry & HuffmanTable.exceptional != 0 {
                    if entry & HuffmanTable.endOfBlock == 0 { return .invalidLiteral }
                    drop(entry)
                    return .endOfBlock
                }
            }
            let length = take(entry)
            var far = distances[Int(bits & 255)]
            if far & HuffmanTable.exceptional != 0 {
                if far & HuffmanTable.link == 0 { return .invalidDistance }
                drop(8)
                far = distances[Int(far &>> 16) &+ Int(bits & (1 &<< UInt64((far &>> 8) & 31) &- 1))]
                if far & HuffmanTable.exceptional != 0 { return .invalidDistance }
            }
            let distance = take(far)
            if distance > out - oldest { return .tooFarBack }
            copy(length, distance)
        }
        return .exhausted
    }

    /// Repeats earlier output; up to 15 bytes behind the end are written too.
    @inline(__always) private mutating func copy(_ length: Int, _ distance: Int) {
        let from = UnsafeRawPointer(out - distance)
        let to = UnsafeMutableRawPointer(out)
        out += length
        if distance >= 16 {
            var done = 0
            repeat {
                to.storeBytes(
                    of: from.loadUnaligned(fromByteOffset: done, as: SIMD16<UInt8>.self), toByteOffset: done,
                    as: SIMD16<UInt8>.self)
                done &+= 16
            } while done < length
        } else if distance >= 8 {
            var done = 0
            repeat {
                to.storeBytes(
                    of: from.loadUnaligned(fromByteOffset: done, as: UInt64.self), toByteOffset: done,
                    as: UInt64.self)
                done &+= 8
            } while done < length
        } else {
            for index in 0..<length {
                to.storeBytes(of: from.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
            }
        }
    }
}
