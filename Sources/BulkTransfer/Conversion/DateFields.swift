import SQLTypes

/// Days since 1970 of the first of each month of the years 1900 to 2099, and one more: the usual dates by look-up.
enum MonthStarts {
    static let firstYear = 1900
    static let months = 200 * 12
    /// Immutable after its making and never freed.
    nonisolated(unsafe) static let table: UnsafePointer<Int32> = {
        let table = UnsafeMutablePointer<Int32>.allocate(capacity: months + 1)
        for month in 0...months {
            let days = Calendar.days(year: Int64(firstYear + month / 12), month: Int64(month % 12 + 1), day: 1)
            table[month] = Int32(truncatingIfNeeded: days)
        }
        return UnsafePointer(table)
    }()
}

/// Days of `YYYY-MM-DD` between 1900 and 2099; sets `bad` for everything else. Sixteen bytes must be readable.
@inline(__always)
private func parseDay(
    _ bytes: UnsafePointer<UInt8>, _ months: UnsafePointer<Int32>, _ bad: inout UInt64
) -> Int32 {
    let raw = UnsafeRawPointer(bytes)
    // Digits become their values and the hyphens zero.
    let head = raw.loadUnaligned(as: UInt64.self) ^ 0x2D30_302D_3030_3030
    let tail = UInt64(raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self) ^ 0x3030)
    bad |= ((head &+ 0x7F76_767F_7676_7676) | head | (tail &+ 0x7676) | tail) & 0x8080_8080_8080_8080
    // Each pair of digits as one number: bytes 0, 2 and 5 of the head.
    let pairs = (head &* 10) &+ (head &>> 8)
    let year = Int(pairs & 255) &* 100 &+ Int(pairs &>> 16 & 255)
    let month = Int(pairs &>> 40 & 255) &- 1
    let day = Int32(truncatingIfNeeded: (tail & 255) &* 10 &+ (tail &>> 8))
    let index = (year &- MonthStarts.firstYear) &* 12 &+ month
    if UInt(bitPattern: month) > 11 || UInt(bitPattern: index) >= UInt(MonthStarts.months) {
        bad |= 1
        return 0
    }
    let first = months[index]
    if day &- 1 >= months[index &+ 1] &- first || day == 0 { bad |= 1 }
    return first &+ day &- 1
}

/// Dates in the form `YYYY-MM-DD`. Returns the number of odd rows.
func parseDates(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ out: UnsafeMutablePointer<Int32>,
    _ odd: UnsafeMutablePointer<UInt32>
) -> Int {
    let months = MonthStarts.table
    var oddCount = 0
    var starts = slots.starts
    var ends = slots.ends
    let stride = slots.stride
    let bias = slots.bias
    for row in 0..<rows {
        let start = Int(starts.pointee &+ bias)
        let count = Int(ends.pointee) &- start
        starts += stride
        ends += stride
        var bad: UInt64 = 0
        out[row] = parseDay(text + start, months, &bad)
        if bad != 0 || count != 10 {
            odd[oddCount] = UInt32(truncatingIfNeeded: row)
            oddCount &+= 1
        }
    }
    return oddCount
}

/// Timestamps in the form `YYYY-MM-DD HH:MI:SS`, also with a fraction of up to six digits.
func parseTimestamps(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ out: UnsafeMutablePointer<Int64>,
    _ odd: UnsafeMutablePointer<UInt32>
) -> Int {
    let months = MonthStarts.table
    var oddCount = 0
    for row in 0..<rows {
        let (start, end) = slots.range(row)
        let count = end &- start
        let bytes = text + start
        var bad: UInt64 = 0
        let days = parseDay(bytes, months, &bad)
        // " HH:MI:S" and the last digit.
        let time =
            UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 11, as: UInt64.self)
            ^ 0x3030_3A30_303A_3030
        bad |= ((time &+ 0x7676_7F76_767F_7676) | time) & 0x8080_8080_8080_8080
        let pairs = (time &* 10) &+ (time &>> 8)
        let hour = Int64(pairs & 255)
        let minute = Int64(pairs &>> 24 & 255)
        let second = Int64(pairs &>> 48 & 255)
        if (hour > 23) || (minute > 59) || (second > 59) || (bytes[10] != 0x20) { bad |= 1 }
        var micros: UInt64 = 0
        if count > 19 {
            if count > 20 && count <= 26 && bytes[19] == 0x2E {
                micros = parseDigits(bytes + 20, count &- 20, &bad)
                for _ in count..<26 { micros &*= 10 }
            } else {
                bad |= 1
            }
        }
        let seconds = Int64(days) &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second
        out[row] = seconds &* 1_000_000 &+ Int64(truncatingIfNeeded: micros)
        if bad != 0 || count < 19 {
            odd[oddCount] = UInt32(truncatingIfNeeded: row)
            oddCount &+= 1
        }
    }
    return oddCount
}
