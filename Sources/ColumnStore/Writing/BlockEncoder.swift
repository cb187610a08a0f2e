import ColumnVectors
import SQLTypes

/// One encoded block: its raw form lies in the scratch's raw memory until the next one.
struct EncodedBlock {
    var descriptor: BlockDescriptor
    var summary: ColumnSummary
    var raw: UnsafeMutableRawPointer
}

/// Gathers one column's values of a row group, encodes them and takes their statistics.
struct BlockEncoder {
    let rows: SliceRows
    let plan: WritePlan
    let column: Int
    let scratch: EncodeScratch

    func encode(from start: Int, count: Int) throws -> EncodedBlock {
        let ids = rows.ids(from: start, count: count, scratch.ids)
        var nulls = 0
        var validity: UnsafePointer<UInt8>?
        if let bases = rows.validity(column) {
            nulls = ColumnGather.validity(bases, ids, count, scratch.validity)
            if nulls > 0 { validity = UnsafePointer(scratch.validity) }
        }
        switch rows.forms[column] {
        case .uint8: return try integers(UInt8.self, ids, count, validity, nulls)
        case .uint16: return try integers(UInt16.self, ids, count, validity, nulls)
        case .int32: return try integers(Int32.self, ids, count, validity, nulls)
        case .int64: return try integers(Int64.self, ids, count, validity, nulls)
        case .int128: return try wide(ids, count, validity, nulls)
        case .float64: return try floats(ids, count, validity, nulls)
        case .string:
            if let coded = rows.coded[column] { return try codes(coded, ids, count, validity, nulls) }
            return try text(ids, count, validity, nulls)
        }
    }

    private func integers<Value: FixedWidthInteger>(
        _ type: Value.Type, _ ids: UnsafePointer<UInt32>, _ count: Int, _ validity: UnsafePointer<UInt8>?,
        _ nulls: Int
    ) throws -> EncodedBlock {
        let values = scratch.values.assumingMemoryBound(to: Value.self)
        ColumnGather.values(rows.data(column), ids, count, values)
        let raw = try scratch.rawBytes(count * 9)
        let block = IntegerEncoding.encode(values, validity: validity, count: count, nullCount: nulls, into: raw)
        var summary = ColumnSummary()
        summary.nullCount = nulls
        if nulls < count {
            summary.minimum = .integer(Int128(block.minimum))
            summary.maximum = .integer(Int128(block.maximum))
            summary.runCount = BlockStatistics.runs(values, count)
            BlockStatistics.sketch(values, count, block, scratch.marks, &summary.sketch)
        } else {
            summary.runCount = 1
        }
        return EncodedBlock(descriptor: block, summary: summary, raw: raw)
    }

    private func wide(
        _ ids: UnsafePointer<UInt32>, _ count: Int, _ validity: UnsafePointer<UInt8>?, _ nulls: Int
    ) throws -> EncodedBlock {
        let values = scratch.values.assumingMemoryBound(to: Int128.self)
        ColumnGather.values(rows.data(column), ids, count, values)
        let raw = try scratch.rawBytes(count * 17)
        var summary = BlockStatistics.wide(values, validity, count, isInterval: plan.types[column] == .interval)
        summary.nullCount = nulls
        let block = PlainEncoding.encodeWide(values, validity: validity, count: count, nullCount: nulls, into: raw)
        return EncodedBlock(descriptor: block, summary: summary, raw: raw)
    }

    private func floats(
        _ ids: UnsafePointer<UInt32>, _ count: Int, _ validity: UnsafePointer<UInt8>?, _ nulls: Int
    ) throws -> EncodedBlock {
        let values = scratch.values.assumingMemoryBound(to: Double.self)
        ColumnGather.values(rows.data(column), ids, count, values)
        let raw = try scratch.rawBytes(count * 9)
        var summary = BlockStatistics.floats(values, validity, count)
        summary.nullCount = nulls
        let block = PlainEncoding.encodeFloat(values, validity: validity, count: count, nullCount: nulls, into: raw)
        return EncodedBlock(descriptor: block, summary: summary, raw: raw)
    }

    private func codes(
        _ coded: CodedColumn, _ ids: UnsafePointer<UInt32>, _ count: Int, _ validity: UnsafePointer<UInt8>?,
        _ nulls: Int
    ) throws -> EncodedBlock {
        let values = scratch.values.assumingMemoryBound(to: UInt16.self)
        ColumnGather.codes(rows.data(column), UnsafePointer(coded.remaps), ids, count, values)
        let raw = try scratch.rawBytes(count * 9)
        let block = DictionaryEncoding.encode(
            values, validity: validity, count: count, nullCount: nulls,
            hasTrailingBlanks: coded.dictionary.hasTrailingBlanks, into: raw)
        var summary = ColumnSummary()
        summary.nullCount = nulls
        summary.hasTrailingBlanks = coded.dictionary.hasTrailingBlanks
        summary.runCount = 1
        if nulls < count {
            let views = coded.dictionary.views
            summary.minimum = ColumnSummary.lowerBound(views[Int(block.minimum)].bytes)
            summary.maximum = ColumnSummary.upperBound(views[Int(block.maximum)].bytes) ?? .null
            summary.runCount = BlockStatistics.runs(values, count)
            summary.stringBytes = BlockStatistics.stringBytes(values, validity, count, views)
            BlockStatistics.sketch(codes: values, count, views, scratch.marks, &summary.sketch)
        }
        return EncodedBlock(descriptor: block, summary: summary, raw: raw)
    }

    private func text(
        _ ids: UnsafePointer<UInt32>, _ count: Int, _ validity: UnsafePointer<UInt8>?, _ nulls: Int
    ) throws -> EncodedBlock {
        ColumnGather.views(rows, column: column, ids, count, scratch.views)
        let measure = TextEncoding.measure(scratch.views, count)
        guard measure.bytes <= Int(UInt32.max) else {
            throw SQLError(.limitExceeded, "strings of a row group exceed 4 GB")
        }
        let raw = try scratch.rawBytes(measure.bytes + count * 5)
        let block = TextEncoding.encode(
            scratch.views, measure, validity: validity, count: count, nullCount: nulls, into: raw)
        var summary = BlockStatistics.text(scratch.views, validity, count)
        summary.nullCount = nulls
        summary.stringBytes = measure.bytes
        summary.hasTrailingBlanks = measure.hasTrailingBlanks
        return EncodedBlock(descriptor: block, summary: summary, raw: raw)
    }
}
