import Glibc

/// FarmHash's Fingerprint64 (the portable form of 2014) over bytes. All arithmetic is modulo 2^64.
enum FarmFingerprint {
    private static let k0: UInt64 = 0xC3A5_C85C_97CB_3127
    private static let k1: UInt64 = 0xB492_B66F_BE98_F273
    private static let k2: UInt64 = 0x9AE1_6A3B_2F90_404F

    static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return k2 }
        let raw = UnsafeRawPointer(base)
        if bytes.count <= 16 { return upTo16(raw, bytes.count) }
        if bytes.count <= 32 { return upTo32(raw, bytes.count) }
        return bytes.count <= 64 ? upTo64(raw, bytes.count) : long(raw, bytes.count)
    }

    private static func word(_ raw: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    private static func half(_ raw: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value &>> count) | (value &<< (64 &- count))
    }
    private static func folded(_ value: UInt64) -> UInt64 { value ^ (value &>> 47) }

    private static func mixed(_ u: UInt64, _ v: UInt64, _ factor: UInt64) -> UInt64 {
        let a = folded((u ^ v) &* factor)
        return folded((v ^ a) &* factor) &* factor
    }

    private static func upTo16(_ raw: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let length = UInt64(count)
        let factor = k2 &+ length &* 2
        if count >= 8 {
            let a = word(raw, 0) &+ k2
            let b = word(raw, count - 8)
            return mixed(rotated(b, 37) &* factor &+ a, (rotated(a, 25) &+ b) &* factor, factor)
        }
        if count >= 4 { return mixed(length &+ (half(raw, 0) &<< 3), half(raw, count - 4), factor) }
        let bytes = raw.assumingMemoryBound(to: UInt8.self)
        let y = UInt64(bytes[0]) &+ (UInt64(bytes[count >> 1]) &<< 8)
        let z = length &+ (UInt64(bytes[count - 1]) &<< 2)
        return folded((y &* k2) ^ (z &* k0)) &* k2
    }

    private static func upTo32(_ raw: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let factor = k2 &+ UInt64(count) &* 2
        let a = word(raw, 0) &* k1
        let b = word(raw, 8)
        let c = word(raw, count - 8) &* factor
        let d = word(raw, count - 16) &* k2
        return mixed(rotated(a &+ b, 43) &+ rotated(c, 30) &+ d, a &+ rotated(b &+ k2, 18) &+ c, factor)
    }

    private static func upTo64(_ raw: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let factor = k2 &+ UInt64(count) &* 2
        let a = word(raw, 0) &* k2
        let b = word(raw, 8)
        let c = word(raw, count - 8) &* factor
        let d = word(raw, count - 16) &* k2
        let y = rotated(a &+ b, 43) &+ rotated(c, 30) &+ d
        let z = mixed(y, a &+ rotated(b &+ k2, 18) &+ c, factor)
        let e = word(raw, 16) &* factor
        let f = word(raw, 24)
        let g = (y &+ word(raw, count - 32)) &* factor
        let h = (z &+ word(raw, count - 24)) &* factor
        return mixed(rotated(e &+ f, 43) &+ rotated(g, 30) &+ h, e &+ rotated(f &+ a, 18) &+ g, factor)
    }

    private struct Pair {
        var first: UInt64 = 0
        var second: UInt64 = 0
    }

    private static func weak(_ raw: UnsafeRawPointer, _ offset: Int, _ first: UInt64, _ second: UInt64) -> Pair {
        let start = first &+ word(raw, offset)
        let last = word(raw, offset + 24)
        let b = rotated(second &+ start &+ last, 21)
        let a = start &+ word(raw, offset + 8) &+ word(raw, offset + 16)
        return Pair(first: a &+ last, second: b &+ rotated(a, 44) &+ start)
    }

    /// What goes from block to block of 64 bytes.
    private struct State {
        var x: UInt64
        var y: UInt64
        var z: UInt64
        var v = Pair()
        var w = Pair()

        mutating func add(_ raw: UnsafeRawPointer, _ offset: Int, factor: UInt64, weight: UInt64) {
            x = rotated(x &+ y &+ v.first &+ word(raw, offset + 8), 37) &* factor
            y = rotated(y &+ v.second &+ word(raw, offset + 48), 42) &* factor
            x ^= w.second &* weight
            y = y &+ v.first &* weight &+ word(raw, offset + 40)
            z = rotated(z &+ w.first, 33) &* factor
            v = weak(raw, offset, v.second &* factor, x &+ w.first)
            w = weak(raw, offset + 32, z &+ w.second, y &+ word(raw, offset + 16))
            swap(&z, &x)
        }
    }

    private static func long(_ raw: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let y = 81 &* k1 &+ 113
        var state = State(x: 81 &* k2 &+ word(raw, 0), y: y, z: folded(y &* k2 &+ 113) &* k2)
        let end = (count - 1) / 64 * 64
        for offset in stride(from: 0, to: end, by: 64) { state.add(raw, offset, factor: k1, weight: 1) }
        let factor = k1 &+ ((state.z & 0xFF) &<< 1)
        state.w.first = state.w.first &+ UInt64((count - 1) & 63)
        state.v.first = state.v.first &+ state.w.first
        state.w.first = state.w.first &+ state.v.first
        state.add(raw, end + ((count - 1) & 63) - 63, factor: factor, weight: 9)
        let (v, w) = (state.v, state.w)
        return mixed(
            mixed(v.first, w.first, factor) &+ folded(state.y) &* k0 &+ state.z,
            mixed(v.second, w.second, factor) &+ state.x, factor)
    }
}
