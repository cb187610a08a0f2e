/// A SUPER value in its binary form, read where it stands. Every read is checked against the value's bytes, so that
/// damaged ones are an error.
package struct SuperView {
    package let base: UnsafePointer<UInt8>
    package let count: Int

    package init(_ base: UnsafePointer<UInt8>, _ count: Int) {
        self.base = base
        self.count = count
    }
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        base = bytes.baseAddress ?? UnsafePointer(bitPattern: 128).unsafelyUnwrapped
        count = bytes.count
    }

    package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    package func kind() throws -> SuperForm.Kind {
        guard count > 0, let kind = SuperForm.Kind(rawValue: base[0] & SuperForm.kindMask) else {
            throw SuperForm.damage
        }
        return kind
    }

    /// Of an integer.
    package func integer() throws -> Int64 {
        let raw = UnsafeRawPointer(base)
        switch count {
        case 2: return Int64(Int8(bitPattern: base[1]))
        case 3: return Int64(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: 1, as: Int16.self)))
        case 5: return Int64(Int32(littleEndian: raw.loadUnaligned(fromByteOffset: 1, as: Int32.self)))
        case 9: return Int64(littleEndian: raw.loadUnaligned(fromByteOffset: 1, as: Int64.self))
        default: throw SuperForm.damage
        }
    }

    /// Of a decimal; below 10^38, with at most 38 digits behind the point.
    package func decimal() throws -> (value: Int128, scale: Int) {
        guard count == 10 || count == 18, base[1] <= 38 else { throw SuperForm.damage }
        let raw = UnsafeRawPointer(base)
        let value =
            count == 10
            ? Int128(Int64(littleEndian: raw.loadUnaligned(fromByteOffset: 2, as: Int64.self)))
            : Int128(littleEndian: raw.loadUnaligned(fromByteOffset: 2, as: Int128.self))
        guard DecimalArithmetic.fits(value, precision: 38) else { throw SuperForm.damage }
        return (value, Int(base[1]))
    }

    /// Of a double; always finite.
    package func double() throws -> Double {
        guard count == 9 else { throw SuperForm.damage }
        let bits = UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        let value = Double(bitPattern: bits)
        guard value.isFinite else { throw SuperForm.damage }
        return value
    }

    /// The bytes of a string.
    package func text() -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + 1, count: max(count - 1, 0))
    }

    package func container() throws -> SuperContainer { try SuperContainer(self) }

    /// Elements or members; nil for scalars.
    package func size() throws -> Int? { try kind().isContainer ? try container().count : nil }

    /// How deeply arrays and objects stand in one another; 0 for scalars.
    ///
    /// - Parameter limit: deeper is an error.
    package func depth(limit: Int = SuperForm.maximumDepth) throws -> Int {
        guard try kind().isContainer else { return 0 }
        guard limit > 0 else { throw SuperForm.tooDeep }
        let container = try container()
        var deepest = 0
        for index in 0..<container.count { deepest = max(deepest, try container.value(index).depth(limit: limit - 1)) }
        return deepest + 1
    }
}

/// The tables of an array or object.
package struct SuperContainer {
    package let isObject: Bool
    package let count: Int
    private let base: UnsafePointer<UInt8>
    private let width: Int
    private let names: Int
    private let namesCount: Int
    private let values: Int
    private let valuesCount: Int

    package init(_ view: SuperView) throws {
        let kind = try view.kind()
        let code = Int(view.base[0] >> 4)
        guard kind.isContainer, code <= 2, view.count > 1 << code else { throw SuperForm.damage }
        base = view.base
        isObject = kind == .object
        width = 1 << code
        count = SuperContainer.number(view.base + 1, width)
        let tables = count * width * (isObject ? 3 : 1)
        guard 1 + width + tables <= view.count else { throw SuperForm.damage }
        names = 1 + width + tables
        namesCount = isObject && count > 0 ? SuperContainer.number(base + 1 + count * width, width) : 0
        guard names + namesCount <= view.count else { throw SuperForm.damage }
        values = names + namesCount
        valuesCount = view.count - values
    }

    @inline(__always)
    private static func number(_ place: UnsafePointer<UInt8>, _ width: Int) -> Int {
        let raw = UnsafeRawPointer(place)
        switch width {
        case 1: return Int(place[0])
        case 2: return Int(UInt16(littleEndian: raw.loadUnaligned(as: UInt16.self)))
        default: return Int(UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)))
        }
    }

    /// An entry of a table; `index` is below ``count``.
    @inline(__always)
    private func entry(_ table: Int, _ index: Int) -> Int {
        SuperContainer.number(base + 1 + width + (table * count + index) * width, width)
    }

    private func part(_ table: Int, _ index: Int, from start: Int, _ length: Int) throws -> SuperView {
        guard index >= 0, index < count else { throw SuperForm.damage }
        let lower = index == 0 ? 0 : entry(table, index - 1)
        let upper = entry(table, index)
        guard lower <= upper, upper <= length else { throw SuperForm.damage }
        return SuperView(base + start + lower, upper - lower)
    }

    /// The element or member at a place, in the order in which they were written.
    package func value(_ index: Int) throws -> SuperView {
        try part(isObject ? 1 : 0, index, from: values, valuesCount)
    }

    /// The name of a member.
    package func name(_ index: Int) throws -> UnsafeBufferPointer<UInt8> {
        guard isObject else { throw SuperForm.damage }
        return try part(0, index, from: names, namesCount).bytes
    }

    /// The place of the member that is the n-th by name.
    package func ordered(_ index: Int) throws -> Int {
        guard isObject, index >= 0, index < count else { throw SuperForm.damage }
        let place = entry(2, index)
        guard place < count else { throw SuperForm.damage }
        return place
    }

    /// The first member of this name; nil when there is none.
    package func member(_ wanted: UnsafeBufferPointer<UInt8>) throws -> SuperView? {
        guard isObject else { return nil }
        if count <= 4 {
            for index in 0..<count where SuperOrder.compare(try name(index), wanted) == 0 { return try value(index) }
            return nil
        }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if SuperOrder.compare(try name(try ordered(middle)), wanted) < 0 { low = middle + 1 } else { high = middle }
        }
        guard low < count else { return nil }
        let place = try ordered(low)
        return SuperOrder.compare(try name(place), wanted) == 0 ? try value(place) : nil
    }
}
