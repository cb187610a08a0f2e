import SQLTypes

/// The texts of dates that came lately: a column has few different ones. Confined to its column.
final class DateTexts {
    private static let places = 4096
    private static let length = 10
    private let days: UnsafeMutablePointer<Int64>
    /// 16 bytes each, 10 of them used.
    private let texts: UnsafeMutablePointer<SIMD16<UInt8>>

    init() {
        days = .allocate(capacity: DateTexts.places)
        days.initialize(repeating: .min, count: DateTexts.places)
        texts = .allocate(capacity: DateTexts.places)
        texts.initialize(repeating: SIMD16(repeating: 0), count: DateTexts.places)
    }
    deinit {
        days.deallocate()
        texts.deallocate()
    }

    @inline(__always)
    func append(_ day: Int64, to buffer: TextBuffer) {
        let place = Int(truncatingIfNeeded: day & Int64(DateTexts.places - 1))
        if days[place] == day {
            UnsafeMutableRawPointer(buffer.room(16)).storeBytes(of: texts[place], as: SIMD16<UInt8>.self)
            return buffer.advance(DateTexts.length)
        }
        appendNew(day, place, buffer)
    }

    /// Longer ones, of years beyond 9999 or before 1, are made each time.
    private func appendNew(_ day: Int64, _ place: Int, _ buffer: TextBuffer) {
        let start = buffer.count
        DateText.append(day, to: buffer)
        guard buffer.count - start == DateTexts.length else { return }
        _ = buffer.room(16)
        texts[place] = UnsafeRawPointer(buffer.base + start).loadUnaligned(as: SIMD16<UInt8>.self)
        days[place] = day
    }
}
