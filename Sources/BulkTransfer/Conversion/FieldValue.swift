import ColumnVectors
import SQLTypes

/// One field after conversion.
enum FieldValue {
    case null
    case integer(Int128)
    case double(Double)
    case string(StringView)
    /// Bytes of the converter, until its next field.
    case made(UnsafeBufferPointer<UInt8>)
    case failure(FieldFailure)
}

/// Converts fields one at a time, with all options: for the rows that the typed loops leave.
struct FieldConverter {
    let options: CopyOptions
    private let dates: DatetimeFields
    private let isFixedWidth: Bool
    private let documents = SuperBuilder()
    private let sketches = TextBuffer()

    init(_ options: CopyOptions, _ context: DatetimeContext) {
        self.options = options
        dates = DatetimeFields(options, context)
        if case .fixedWidth = options.layout { isFixedWidth = true } else { isFixedWidth = false }
    }

    var usesISODates: Bool { dates.isoDates }
    var usesISOTimestamps: Bool { dates.isoTimestamps }

    func convert(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ plan: ColumnPlan) -> FieldValue {
        if isNullMarker(bytes, count) { return .null }
        switch plan.kind {
        case .char(let limit): return string(bytes, count, limit, isChar: true)
        case .varchar(let limit): return string(bytes, count, limit, isChar: false)
        default: break
        }
        if count == 0 || (isFixedWidth && isBlank(bytes, count)) { return .null }
        switch plan.kind {
        case .integer(let lowest, let highest): return integer(bytes, count, plan, lowest, highest)
        case .decimal(let precision, let scale, _): return decimal(bytes, count, plan, precision, scale)
        case .float(let real): return float(bytes, count, plan, real)
        case .bytes(let limit): return binary(bytes, count, limit)
        case .document: return document(bytes, count)
        case .sketch: return sketch(bytes, count)
        case .boolean:
            if let value = BooleanText.parse(bytes, count) { return .integer(value ? 1 : 0) }
            return .failure(FieldFailure(code: 1210, reason: "Unknown boolean format"))
        case .interval(let fields): return interval(bytes, count, plan, fields)
        default: return dates.convert(bytes, count, plan.kind)
        }
    }

    private func isNullMarker(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        guard count == options.nullAs.count else { return false }
        for index in 0..<count where bytes[index] != options.nullAs[index] { return false }
        return true
    }

    private func isBlank(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count where bytes[index] != 0x20 { return false }
        return true
    }

    // MARK: Numbers

    private func integer(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ plan: ColumnPlan, _ lowest: Int64, _ highest: Int64
    ) -> FieldValue {
        if let value = IntegerText.parse(bytes, count), value >= lowest, value <= highest {
            return .integer(Int128(value))
        }
        if let failure = invalidDigit(bytes, count, plan, allowPoint: false) { return .failure(failure) }
        return .failure(FieldFailure(code: 1222, reason: "Overflow for \(plan.reasonLabel.lowercased())"))
    }

    private func decimal(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ plan: ColumnPlan, _ precision: Int, _ scale: Int
    ) -> FieldValue {
        let surplus: DecimalText.Surplus = options.roundDecimals ? .round : .truncate
        switch DecimalText.read(bytes, count, precision, scale, surplus) {
        case .success(let value): return .integer(value)
        case .failure(.overflow): return .failure(FieldFailure(code: 1209, reason: "Overflow"))
        case .failure(.syntax):
            if let failure = invalidDigit(bytes, count, plan, allowPoint: true) { return .failure(failure) }
            return .failure(FieldFailure(code: 1209, reason: "Invalid decimal format"))
        }
    }

    private func float(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ plan: ColumnPlan, _ real: Bool
    ) -> FieldValue {
        guard let value = FloatText.parse(bytes, count) else {
            return .failure(FieldFailure(code: 1208, reason: "Invalid floating-point format"))
        }
        let result = real ? Double(Float(value)) : value
        let hasDigits = (0..<count).contains { TextInput.isDigit(bytes[$0]) }
        if result.isInfinite && hasDigits {
            return .failure(FieldFailure(code: 1208, reason: "Overflow for \(plan.reasonLabel.lowercased())"))
        }
        return .double(result)
    }

    /// The first byte that belongs to no number; nil for digits with one sign, or a text with no digit to complain
    /// about.
    private func invalidDigit(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ plan: ColumnPlan, allowPoint: Bool
    ) -> FieldFailure? {
        let (start, end) = TextInput.trimmed(bytes, count)
        var points = 0
        for index in min(start, count - 1)..<max(end, min(start, count - 1) + 1) {
            let byte = bytes[index]
            if TextInput.isDigit(byte) { continue }
            if index == start && (byte == 0x2D || byte == 0x2B) && end - start > 1 { continue }
            if byte == 0x2E && allowPoint && points == 0 {
                points += 1
                continue
            }
            let place = start == end ? 0 : index
            let shown = String(decoding: UnsafeBufferPointer(start: bytes + place, count: 1), as: UTF8.self)
            let reason = "Invalid digit, Value '\(shown)', Pos \(place), Type: \(plan.reasonLabel)"
            return FieldFailure(code: 1207, reason: reason, position: place)
        }
        return nil
    }

    private func interval(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ plan: ColumnPlan, _ fields: IntervalFields
    ) -> FieldValue {
        do {
            return .integer(Int128(try fields.parse(bytes, count)))
        } catch {
            return .failure(FieldFailure(code: 1206, reason: "Invalid interval format or value [\(plan.type)]"))
        }
    }

    // MARK: SUPER

    private func document(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> FieldValue {
        do {
            try SuperParser.parse(UnsafeBufferPointer(start: bytes, count: count), into: documents)
            return .made(documents.bytes)
        } catch {
            return .failure(FieldFailure(code: 1224, reason: "Invalid JSON for SUPER"))
        }
    }

    // MARK: HLLSKETCH

    private func sketch(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> FieldValue {
        do {
            sketches.removeAll()
            sketches.append(try HLLText.parse(UnsafeBufferPointer(start: bytes, count: count)))
            return .made(sketches.bytes)
        } catch {
            return .failure(FieldFailure(code: 1224, reason: "Invalid HLLSKETCH format"))
        }
    }

    // MARK: Bytes

    /// Hexadecimal digits, made bytes where they stand.
    private func binary(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> FieldValue {
        guard let value = HexadecimalText.parse(UnsafeBufferPointer(start: UnsafePointer(bytes), count: count)) else {
            return .failure(FieldFailure(code: 1207, reason: "Invalid digit, Type: Varbyte"))
        }
        if value.count > limit {
            return .failure(FieldFailure(code: 1204, reason: "String length exceeds DDL length", position: limit))
        }
        for (index, byte) in value.enumerated() { bytes[index] = byte }
        return .string(value.isEmpty ? .empty : StringView(UnsafePointer(bytes), count: value.count))
    }

    // MARK: Strings

    func string(
        _ bytes: UnsafeMutablePointer<UInt8>, _ fieldCount: Int, _ limit: Int, isChar: Bool
    ) -> FieldValue {
        if let failure = checkCharacters(bytes, fieldCount, isChar) { return .failure(failure) }
        var count = fieldCount
        if count == 0 && options.emptyAsNull { return .null }
        if options.blanksAsNull && count > 0 && isBlank(bytes, count) { return .null }
        if isChar || options.trimBlanks {
            while count > 0 && bytes[count - 1] == 0x20 { count -= 1 }
        }
        if count > limit {
            guard options.truncateColumns else {
                let what = isChar ? "Char" : "String"
                return .failure(
                    FieldFailure(code: 1204, reason: "\(what) length exceeds DDL length", position: limit))
            }
            count = UTF8Text.boundary(bytes, count, limit: limit)
            while isChar && count > 0 && bytes[count - 1] == 0x20 { count -= 1 }
        }
        return .string(count == 0 ? .empty : StringView(UnsafePointer(bytes), count: count))
    }

    private func checkCharacters(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ isChar: Bool
    ) -> FieldFailure? {
        let field = UnsafeBufferPointer(start: UnsafePointer(bytes), count: count)
        if isChar {
            for index in 0..<count where bytes[index] >= 0x80 {
                let reason =
                    "Multibyte character not supported for CHAR (Hint: try using VARCHAR). "
                    + "Invalid char: \(StringLength.characterCode(field, at: index))"
                return FieldFailure(code: 1215, reason: reason, position: index)
            }
        }
        var from = 0
        while let place = UTF8Text.firstInvalid(bytes + from, count - from) {
            let index = from + place
            if bytes[index] == 0 {
                return FieldFailure(
                    code: FieldFailure.nulInField.code, reason: FieldFailure.nulInField.reason, position: index)
            }
            guard let replacement = options.invalidCharacterReplacement, !isChar else {
                let reason =
                    "String contains invalid or unsupported UTF8 codepoints. "
                    + "Bad UTF8 hex sequence: \(StringLength.characterCode(field, at: index)) (error 4)"
                return FieldFailure(code: 1220, reason: reason, position: index)
            }
            bytes[index] = replacement
            from = index + 1
        }
        return nil
    }
}
