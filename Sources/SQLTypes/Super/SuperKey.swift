/// A SUPER value as bytes whose order is the order of the values, and that are equal for equal values: 1, 1.0 and 1e0
/// have one key, and so have objects with the same members in any order. Grouping, sorting, joins and `=` compare keys.
///
/// Order: null, false, true, numbers, strings, arrays, objects. A key is a class byte and what orders the class;
/// arrays and objects end with 0, which is below every class.
package enum SuperKey {
    private enum Class {
        static let null: UInt8 = 1, no: UInt8 = 2, yes: UInt8 = 3, number: UInt8 = 4, string: UInt8 = 5
        static let array: UInt8 = 6, object: UInt8 = 7
    }

    package static func append(_ view: SuperView, to buffer: TextBuffer) throws {
        try append(view, to: buffer, depth: 0)
        guard buffer.count <= SQLType.maximumVarbyteLength else {
            throw SQLError(
                .limitExceeded, "a SUPER value is too long to be compared",
                detail: "Values of up to \(SQLType.maximumVarbyteLength) bytes can be compared, grouped and sorted.",
                hint: "Compare, group or sort by a part of it.")
        }
    }

    private static func append(_ view: SuperView, to buffer: TextBuffer, depth: Int) throws {
        switch try view.kind() {
        case .null: buffer.append(Class.null)
        case .no: buffer.append(Class.no)
        case .yes: buffer.append(Class.yes)
        case .integer:
            let value = try view.integer()
            decimal(Int128(value), scale: 0, to: buffer)
        case .decimal:
            let (value, scale) = try view.decimal()
            decimal(value, scale: scale, to: buffer)
        case .double: double(try view.double(), to: buffer)
        case .string:
            buffer.append(Class.string)
            buffer.append(view.text())
            // Strings have no NUL: a beginning of another string is before it.
            buffer.append(0 as UInt8)
        case .array:
            guard depth < SuperForm.maximumDepth else { throw SuperForm.tooDeep }
            let container = try view.container()
            buffer.append(Class.array)
            for index in 0..<container.count { try append(try container.value(index), to: buffer, depth: depth + 1) }
            buffer.append(0 as UInt8)
        case .object:
            guard depth < SuperForm.maximumDepth else { throw SuperForm.tooDeep }
            let container = try view.container()
            buffer.append(Class.object)
            for index in 0..<container.count {
                let place = try container.ordered(index)
                buffer.append(1 as UInt8)
                buffer.append(try container.name(place))
                buffer.append(0 as UInt8)
                try append(try container.value(place), to: buffer, depth: depth + 1)
            }
            buffer.append(0 as UInt8)
        }
    }

    // MARK: Numbers

    private static func decimal(_ value: Int128, scale: Int, to buffer: TextBuffer) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
            var rest = value.magnitude
            var place = 40
            while rest > 0, place > 0 {
                place -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                digits[place] = UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            let used = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(digits)[place...])
            number(used, exponent: used.count - scale, isNegative: value < 0, to: buffer)
        }
    }

    /// The fewest digits that name the double stand for it, so that 0.1 is the same as a decimal and as a double.
    private static func double(_ value: Double, to buffer: TextBuffer) {
        var text = "\(value.magnitude)"
        text.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count + 1) { digits in
                var (count, index, whole) = (0, 0, -1)
                while index < bytes.count, bytes[index] != 0x65 {
                    if bytes[index] == 0x2E {
                        whole = count
                    } else {
                        digits[count] = bytes[index] &- 0x30
                        count += 1
                    }
                    index += 1
                }
                if whole < 0 { whole = count }
                var exponent = 0
                var isNegative = false
                index += 1
                while index < bytes.count {
                    if bytes[index] == 0x2D { isNegative = true }
                    if TextInput.isDigit(bytes[index]) { exponent = exponent * 10 + Int(bytes[index] &- 0x30) }
                    index += 1
                }
                number(
                    UnsafeBufferPointer(start: digits.baseAddress, count: count),
                    exponent: whole + (isNegative ? -exponent : exponent), isNegative: value < 0, to: buffer)
            }
        }
    }

    /// The number `0.d1 d2 d3 ... * 10^exponent`: its sign, its exponent, its digits without zeros at both ends. What
    /// orders negative numbers is the complement of what orders positive ones.
    private static func number(
        _ digits: UnsafeBufferPointer<UInt8>, exponent: Int, isNegative: Bool, to buffer: TextBuffer
    ) {
        buffer.append(Class.number)
        guard let first = digits.firstIndex(where: { $0 != 0 }), let last = digits.lastIndex(where: { $0 != 0 }) else {
            return buffer.append(0x80 as UInt8)
        }
        buffer.append(isNegative ? 0x40 : 0xC0 as UInt8)
        let flip: UInt8 = isNegative ? 0xFF : 0
        let biased = UInt16(clamping: exponent - first + 0x8000)
        buffer.append(UInt8(truncatingIfNeeded: biased >> 8) ^ flip)
        buffer.append(UInt8(truncatingIfNeeded: biased) ^ flip)
        for index in first...last { buffer.append((digits[index] &+ 1) ^ flip) }
        buffer.append(flip)
    }

    // MARK: Order between two values

    /// Negative, zero or positive; nil where the two are no values that can be ordered: of different kinds, or arrays,
    /// objects and nulls.
    package static func order(_ left: SuperView, _ right: SuperView, _ scratch: TextBuffer) throws -> Int? {
        let (first, second) = (try left.kind(), try right.kind())
        if first == .integer && second == .integer {
            let (a, b) = (try left.integer(), try right.integer())
            return a < b ? -1 : a == b ? 0 : 1
        }
        if first == .string && second == .string { return SuperOrder.compare(left.text(), right.text()) }
        guard first.isNumber && second.isNumber || first.isBoolean && second.isBoolean else { return nil }
        scratch.removeAll()
        try append(left, to: scratch)
        let border = scratch.count
        try append(right, to: scratch)
        let all = scratch.bytes
        defer { withExtendedLifetime(scratch) {} }
        return SuperOrder.compare(
            UnsafeBufferPointer(rebasing: all[..<border]), UnsafeBufferPointer(rebasing: all[border...]))
    }
}
