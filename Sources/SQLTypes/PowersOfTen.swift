/// 10^0 ... 10^38, the largest power that an Int128 holds.
public enum PowersOfTen {
    public static let maximumExponent = 38
    private static let table: [Int128] = {
        var powers: [Int128] = [1]
        for _ in 0..<maximumExponent { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()
    /// Lives as long as the process: row loops index a pointer instead of an array.
    nonisolated(unsafe) private static let wide: UnsafePointer<Int128> = {
        let pointer = UnsafeMutablePointer<Int128>.allocate(capacity: maximumExponent + 1)
        pointer.initialize(from: table, count: table.count)
        return UnsafePointer(pointer)
    }()
    nonisolated(unsafe) private static let narrow: UnsafePointer<Int64> = {
        let pointer = UnsafeMutablePointer<Int64>.allocate(capacity: 19)
        for exponent in 0...18 { (pointer + exponent).initialize(to: Int64(table[exponent])) }
        return UnsafePointer(pointer)
    }()
    nonisolated(unsafe) private static let floating: UnsafePointer<Double> = {
        let pointer = UnsafeMutablePointer<Double>.allocate(capacity: maximumExponent + 1)
        for exponent in 0...maximumExponent { (pointer + exponent).initialize(to: Double("1e\(exponent)") ?? 0) }
        return UnsafePointer(pointer)
    }()

    /// 39 values.
    public static var int128: UnsafePointer<Int128> { wide }
    /// 19 values.
    public static var int64: UnsafePointer<Int64> { narrow }
    /// 39 values; exact up to 10^22.
    public static var double: UnsafePointer<Double> { floating }

    /// 10^exponent, nil outside 0 ... 38.
    public static func power(_ exponent: Int) -> Int128? {
        exponent >= 0 && exponent <= maximumExponent ? wide[exponent] : nil
    }
}
