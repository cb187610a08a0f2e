import ColumnVectors
import QueryPlan
import SQLTypes

/// Scalar functions of HLLSKETCH, and the hash that sketches are made of.
enum SketchFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .hllHash: hash
        case .hllCardinality: cardinality
        case .hllCombineSketches: combine
        default: nil
        }
    }

    private static let cardinality = FunctionKernel.unary(StringView.self, Int64.self) {
        var sketch = try HLLSketch(checking: $0.bytes)
        return sketch.cardinality()
    }

    /// NULL only where both are.
    private static let combine = FunctionKernel(nulls: .custom) { _ in
        { frame in
            let output = frame.output(StringView.self)
            try frame.forEachRow { row in
                var sketch: HLLSketch?
                for argument in 0..<2 where !frame.isNull(argument, row) {
                    if sketch == nil { sketch = HLLSketch() }
                    try sketch?.merge(checking: frame.string(argument, row).bytes)
                }
                guard let bytes = sketch?.bytes() else {
                    output[row] = .empty
                    frame.resultValidity[row] = 0
                    return
                }
                output[row] = try bytes.withUnsafeBufferPointer { try frame.arena.copy($0) }
            }
        }
    }

    // MARK: Hashes

    /// Equal values have equal hashes, in whatever types: integers and decimals by their value, floats with one zero
    /// and one NaN, texts without trailing blanks. Stored sketches hold these for ever.
    private static let hash = FunctionKernel { site in
        let type = site.arguments[0]
        return { frame in
            let output = frame.output(UInt64.self)
            switch type.physical {
            case .string:
                let trims = !type.isBinaryString
                frame.forEachRow { row in
                    let text = frame.string(0, row)
                    output[row] = mixed(FarmFingerprint.hash((trims ? text.trimmed : text).bytes))
                }
            case .float64:
                let input = frame.arguments[0].values(Double.self)
                frame.forEachRow { output[$0] = mixed(of: input[$0]) }
            default:
                let integers = WideInput(frame, 0, type), scale = type.scale, isInterval = type == .interval
                frame.forEachRow { row in
                    let value = integers[row]
                    output[row] = mixed(of: isInterval ? Interval(packed: value).comparable : value, scale: scale)
                }
            }
        }
    }

    private static func mixed(of value: Double) -> UInt64 {
        mixed((value == 0 ? 0.0 : value.isNaN ? Double.nan : value).bitPattern ^ 0x5851_F42D_4C95_7F2D)
    }

    /// - Parameter scale: zeros behind the point do not count.
    private static func mixed(of value: Int128, scale: Int) -> UInt64 {
        var (value, scale) = (value, scale)
        while scale > 0, value % 10 == 0 {
            value /= 10
            scale -= 1
        }
        let low = UInt64(truncatingIfNeeded: value)
        let hash = mixed(low &+ UInt64(scale) &* 0xD6E8_FEB8_6659_FD93)
        let high = Int64(truncatingIfNeeded: value >> 64)
        return high == Int64(bitPattern: low) >> 63 ? hash : mixed(hash ^ UInt64(bitPattern: high))
    }

    /// SplitMix64's finaliser behind a step, so that 0 does not stay 0: of a dozen odd numbers the one whose sketches
    /// of ranges of numbers are nearest to the truth.
    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word &+ 0xEB44_ACCA_B455_D165
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}
