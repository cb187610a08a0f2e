import Glibc

/// Writes SUPER values: scalars and whole values in turn, between `begin` and `end` of their containers. A container's
/// tables are put in front of its members when it ends. One thread at a time.
package final class SuperBuilder {
    package let out = TextBuffer(capacity: 1 << 10)
    private struct Frame {
        var start: Int
        var firstEnd: Int
        var firstNameEnd: Int
        var firstName: Int
        var isObject: Bool
    }
    private var frames: [Frame] = []
    /// Of values and of names of all open containers, from the beginning of theirs.
    private var ends: [Int] = []
    private var nameEnds: [Int] = []
    private let names = TextBuffer()
    private var order: [Int] = []

    package init() {}

    package var depth: Int { frames.count }
    /// nil outside of containers.
    package var isInObject: Bool? { frames.last?.isObject }
    /// Valid until more is written, and as long as the builder.
    package var bytes: UnsafeBufferPointer<UInt8> { out.bytes }
    package var array: [UInt8] { out.array }

    package func removeAll() {
        out.removeAll()
        names.removeAll()
        frames.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        nameEnds.removeAll(keepingCapacity: true)
    }

    // MARK: Scalars

    private func finishValue() {
        if let frame = frames.last { ends.append(out.count - frame.start) }
    }

    private func put(_ kind: SuperForm.Kind) {
        out.append(kind.rawValue)
        finishValue()
    }
    package func null() { put(.null) }
    package func boolean(_ value: Bool) { put(value ? .yes : .no) }

    package func integer(_ value: Int64) {
        out.append(SuperForm.Kind.integer.rawValue)
        if let narrow = Int8(exactly: value) {
            out.append(UInt8(bitPattern: narrow))
        } else if let narrow = Int16(exactly: value) {
            raw(narrow.littleEndian)
        } else if let narrow = Int32(exactly: value) {
            raw(narrow.littleEndian)
        } else {
            raw(value.littleEndian)
        }
        finishValue()
    }
    package func decimal(_ value: Int128, scale: Int) {
        out.append(SuperForm.Kind.decimal.rawValue)
        out.append(UInt8(truncatingIfNeeded: scale))
        if let narrow = Int64(exactly: value) { raw(narrow.littleEndian) } else { raw(value.littleEndian) }
        finishValue()
    }
    /// Of a finite value.
    package func double(_ value: Double) {
        out.append(SuperForm.Kind.double.rawValue)
        raw(value.bitPattern.littleEndian)
        finishValue()
    }
    package func string(_ bytes: UnsafeBufferPointer<UInt8>) {
        beginString()
        out.append(bytes)
        endString()
    }
    /// A string whose bytes are then appended to ``out``.
    package func beginString() { out.append(SuperForm.Kind.string.rawValue) }
    package func endString() { finishValue() }

    private func raw<Value>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        UnsafeMutableRawPointer(out.room(size)).storeBytes(of: value, as: Value.self)
        out.advance(size)
    }

    /// A whole value.
    package func value(_ view: SuperView) throws {
        guard out.count + view.count <= SuperForm.maximumBytes else { throw SuperForm.tooLong }
        out.append(view.bytes)
        finishValue()
    }

    // MARK: Containers

    package func begin(object isObject: Bool) {
        frames.append(
            Frame(
                start: out.count, firstEnd: ends.count, firstNameEnd: nameEnds.count, firstName: names.count,
                isObject: isObject))
    }

    /// The name of the next member.
    package func name(_ bytes: UnsafeBufferPointer<UInt8>) {
        names.append(bytes)
        endName()
    }
    /// Names may also be appended here, and be ended.
    package var nameBuffer: TextBuffer { names }
    package func endName() {
        if let frame = frames.last { nameEnds.append(names.count - frame.firstName) }
    }

    package func end() throws {
        guard let frame = frames.popLast() else { throw SuperForm.damage }
        let count = ends.count - frame.firstEnd
        let bodyBytes = out.count - frame.start
        let nameBytes = names.count - frame.firstName
        guard !frame.isObject || nameEnds.count - frame.firstNameEnd == count else { throw SuperForm.damage }
        let largest = max(count, max(bodyBytes, nameBytes))
        let code: UInt8 = largest <= 0xFF ? 0 : largest <= 0xFFFF ? 1 : 2
        let width = 1 << Int(code)
        let header = 1 + width + count * width * (frame.isObject ? 3 : 1) + nameBytes
        guard out.count + header <= SuperForm.maximumBytes else { throw SuperForm.tooLong }
        _ = out.room(header)
        let start = out.base + frame.start
        memmove(start + header, start, bodyBytes)
        out.advance(header)
        start[0] = (frame.isObject ? SuperForm.Kind.object : .array).rawValue | code << 4
        var place = start + 1
        func put(_ number: Int) {
            let raw = UnsafeMutableRawPointer(place)
            switch code {
            case 0: place[0] = UInt8(truncatingIfNeeded: number)
            case 1: raw.storeBytes(of: UInt16(truncatingIfNeeded: number).littleEndian, as: UInt16.self)
            default: raw.storeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian, as: UInt32.self)
            }
            place += width
        }
        put(count)
        if frame.isObject {
            for index in frame.firstNameEnd..<nameEnds.count { put(nameEnds[index]) }
        }
        for index in frame.firstEnd..<ends.count { put(ends[index]) }
        if frame.isObject {
            sortNames(frame, count)
            for index in order { put(index) }
            memcpy(place, names.base + frame.firstName, nameBytes)
        }
        names.truncate(to: frame.firstName)
        nameEnds.removeLast(nameEnds.count - frame.firstNameEnd)
        ends.removeLast(count)
        finishValue()
    }

    /// Fills ``order`` with the members by name, of equal ones the first first.
    private func sortNames(_ frame: Frame, _ count: Int) {
        order.removeAll(keepingCapacity: true)
        for index in 0..<count { order.append(index) }
        if count < 2 { return }
        let base = UnsafePointer(names.base) + frame.firstName
        func name(_ index: Int) -> UnsafeBufferPointer<UInt8> {
            let lower = index == 0 ? 0 : nameEnds[frame.firstNameEnd + index - 1]
            return UnsafeBufferPointer(start: base + lower, count: nameEnds[frame.firstNameEnd + index] - lower)
        }
        order.sort { left, right in
            let order = SuperOrder.compare(name(left), name(right))
            return order == 0 ? left < right : order < 0
        }
    }
}

/// Names and strings in the order of their bytes.
enum SuperOrder {
    static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        let shared = min(left.count, right.count)
        if shared > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, shared)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}
