import Glibc
import Platform
import SQLTypes

extension ColumnBuffer {
    /// Appends a batch: rows `selection[0 ..< count]` of the source, or its first `count` rows without a selection.
    ///
    /// - Parameters:
    ///   - values: of `source`'s form; integers may be narrower (or wider, if the values fit) than the buffer's.
    ///   - validity: of the source's rows, nil without NULLs; indexed by the selection like the values.
    public func append(
        values source: UnsafeRawPointer, as form: PhysicalType? = nil, validity sourceValidity: UnsafePointer<UInt8>?,
        selection: UnsafePointer<UInt16>?, count rows: Int
    ) throws {
        if rows == 0 { return }
        if let sourceValidity, anyNull(sourceValidity, selection, rows) { try useValidity() }
        try reserve(additional: rows)
        let start = count
        let target = values + start * physical.byteWidth
        if physical == .string {
            let views = source.assumingMemoryBound(to: StringView.self)
            try copyStrings(views, sourceValidity, selection, rows, target.assumingMemoryBound(to: StringView.self))
        } else if (form ?? physical) == physical {
            copyValues(source, selection, rows, target)
        } else if physical.isInteger, let form, form.isInteger {
            convertIntegers(source, form, selection, rows, target)
        } else {
            throw SQLError(.internalError, "cannot append \(form ?? physical) values to a buffer of \(physical)")
        }
        advance(rows)
        if let sourceValidity, let validity {
            copyBytes(sourceValidity, selection, rows, validity + start)
        }
    }

    /// Appends all rows of another buffer; integer forms may differ.
    public func append(_ other: ColumnBuffer) throws {
        var done = 0
        while done < other.count {
            let rows = min(other.count - done, 1 << 20)
            try append(
                values: other.values + done * other.physical.byteWidth, as: other.physical,
                validity: other.validity.map { UnsafePointer($0 + done) }, selection: nil, count: rows)
            done += rows
        }
    }

    /// Appends the same value several times: constants, partition values, defaults.
    public func append(_ datum: Datum, repeated rows: Int) throws {
        if rows == 0 { return }
        let start = count
        try append(datum)
        try reserve(additional: rows - 1)
        let width = physical.byteWidth
        for row in 1..<max(rows, 1) { memcpy(values + (start + row) * width, values + start * width, width) }
        advance(rows - 1)
        if datum.isNull, let validity { memset(validity + start, 0, rows) }
    }

    private func anyNull(
        _ validity: UnsafePointer<UInt8>, _ selection: UnsafePointer<UInt16>?, _ rows: Int
    ) -> Bool {
        guard let selection else { return memchr(validity, 0, rows) != nil }
        var all: UInt8 = 1
        for index in 0..<rows { all &= validity[Int(selection[index])] }
        return all == 0
    }

    private func copyStrings(
        _ views: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ selection: UnsafePointer<UInt16>?,
        _ rows: Int, _ target: UnsafeMutablePointer<StringView>
    ) throws {
        // Views of NULL rows are undefined and must not be followed.
        var total = 0
        for index in 0..<rows {
            let row = selection.map { Int($0[index]) } ?? index
            if validity.map({ $0[row] != 0 }) ?? true { total &+= Int(views[row].count) }
        }
        var bytes = try arena.allocate(total)
        for index in 0..<rows {
            let row = selection.map { Int($0[index]) } ?? index
            let valid = validity.map { $0[row] != 0 } ?? true
            let view = valid ? views[row] : .empty
            let length = Int(view.count)
            if length == 0 {
                target[index] = .empty
            } else {
                memcpy(bytes, view.pointer, length)
                target[index] = StringView(count: view.count, prefix: view.prefix, pointer: UnsafePointer(bytes))
                bytes += length
            }
        }
    }

    private func copyValues(
        _ source: UnsafeRawPointer, _ selection: UnsafePointer<UInt16>?, _ rows: Int, _ target: UnsafeMutableRawPointer
    ) {
        guard let selection else {
            memcpy(target, source, rows * physical.byteWidth)
            return
        }
        switch physical.byteWidth {
        case 1: gather(source, UInt8.self, selection, rows, target, UInt8.self)
        case 2: gather(source, UInt16.self, selection, rows, target, UInt16.self)
        case 4: gather(source, Int32.self, selection, rows, target, Int32.self)
        case 8: gather(source, Int64.self, selection, rows, target, Int64.self)
        default: gather(source, Int128.self, selection, rows, target, Int128.self)
        }
    }

    private func convertIntegers(
        _ source: UnsafeRawPointer, _ form: PhysicalType, _ selection: UnsafePointer<UInt16>?, _ rows: Int,
        _ target: UnsafeMutableRawPointer
    ) {
        switch physical {
        case .uint8: convert(source, form, selection, rows, target, UInt8.self)
        case .uint16: convert(source, form, selection, rows, target, UInt16.self)
        case .int32: convert(source, form, selection, rows, target, Int32.self)
        case .int64: convert(source, form, selection, rows, target, Int64.self)
        default: convert(source, form, selection, rows, target, Int128.self)
        }
    }

    @inline(__always)
    private func convert<To: FixedWidthInteger>(
        _ source: UnsafeRawPointer, _ form: PhysicalType, _ selection: UnsafePointer<UInt16>?, _ rows: Int,
        _ target: UnsafeMutableRawPointer, _ to: To.Type
    ) {
        switch form {
        case .uint8: gather(source, UInt8.self, selection, rows, target, to)
        case .uint16: gather(source, UInt16.self, selection, rows, target, to)
        case .int32: gather(source, Int32.self, selection, rows, target, to)
        case .int64: gather(source, Int64.self, selection, rows, target, to)
        default: gather(source, Int128.self, selection, rows, target, to)
        }
    }

    @inline(__always)
    private func gather<From: FixedWidthInteger, To: FixedWidthInteger>(
        _ source: UnsafeRawPointer, _ from: From.Type, _ selection: UnsafePointer<UInt16>?, _ rows: Int,
        _ target: UnsafeMutableRawPointer, _ to: To.Type
    ) {
        let input = source.assumingMemoryBound(to: from)
        let output = target.assumingMemoryBound(to: to)
        if let selection {
            for index in 0..<rows { output[index] = To(truncatingIfNeeded: input[Int(selection[index])]) }
        } else {
            for index in 0..<rows { output[index] = To(truncatingIfNeeded: input[index]) }
        }
    }

    private func copyBytes(
        _ source: UnsafePointer<UInt8>, _ selection: UnsafePointer<UInt16>?, _ rows: Int,
        _ target: UnsafeMutablePointer<UInt8>
    ) {
        guard let selection else {
            memcpy(target, source, rows)
            return
        }
        for index in 0..<rows { target[index] = source[Int(selection[index])] }
    }
}
