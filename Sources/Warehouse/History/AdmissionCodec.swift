import ColumnStore
import Workload

/// The stored form of what workload management did with a statement. Most figures of most statements are zero, so that
/// a word says which of them follow.
enum AdmissionCodec {
    static func write(_ admission: AdmissionRecord, _ writer: inout BinaryWriter) {
        let record = admission.figures
        writer.put(record.serviceClass)
        writer.put(record.serviceClassName)
        writer.put(record.priority.rawValue)
        writer.put(record.isShort)
        writer.put(record.isScaledOut)
        writer.put(record.wasEvicted)
        var present = 0
        for index in 0..<figureCount where figure(index, of: record) != 0 { present |= 1 << index }
        writer.put(present)
        for index in 0..<figureCount where present >> index & 1 == 1 { writer.put(figure(index, of: record)) }
    }

    static func read(_ reader: inout BinaryReader) throws -> AdmissionRecord {
        let number = try reader.get(Int.self)
        var record = AdmissionRecord.Figures(number, try reader.getString())
        record.priority = QueryPriority(rawValue: try reader.get()) ?? .normal
        record.isShort = try reader.getBool()
        record.isScaledOut = try reader.getBool()
        record.wasEvicted = try reader.getBool()
        record.metrics.priority = record.priority
        let present = try reader.get(Int.self)
        for index in 0..<figureCount where present >> index & 1 == 1 {
            set(index, try reader.get(Int64.self), in: &record)
        }
        return AdmissionRecord(record)
    }

    private static let figureCount = 19

    /// In their fixed order; fractions by their bits.
    private static func figure(_ index: Int, of record: AdmissionRecord.Figures) -> Int64 {
        func bits(_ value: Double) -> Int64 { Int64(bitPattern: value.bitPattern) }
        switch index {
        case 0: return Int64(record.slots)
        case 1: return record.arrivedMicroseconds
        case 2: return record.startedMicroseconds
        case 3: return record.endedMicroseconds
        case 4: return record.queueMicroseconds
        case 5: return record.memoryPeakBytes
        case 6: return bits(record.metrics.cpuSeconds)
        case 7: return bits(record.metrics.executionSeconds)
        case 8: return bits(record.metrics.queueSeconds)
        case 9: return bits(record.metrics.cpuSkew)
        case 10: return bits(record.metrics.ioSkew)
        case 11: return bits(record.metrics.segmentSeconds)
        case 12: return record.metrics.blocksRead
        case 13: return record.metrics.scanRows
        case 14: return record.metrics.temporaryBlocks
        case 15: return record.metrics.joinRows
        case 16: return record.metrics.nestedLoopRows
        case 17: return record.metrics.returnRows
        default: return record.runMicroseconds
        }
    }

    private static func set(_ index: Int, _ figure: Int64, in record: inout AdmissionRecord.Figures) {
        let fraction = Double(bitPattern: UInt64(bitPattern: figure))
        switch index {
        case 0: record.slots = Int(figure)
        case 1: record.arrivedMicroseconds = figure
        case 2: record.startedMicroseconds = figure
        case 3: record.endedMicroseconds = figure
        case 4: record.queueMicroseconds = figure
        case 5: record.memoryPeakBytes = figure
        case 6: record.metrics.cpuSeconds = fraction
        case 7: record.metrics.executionSeconds = fraction
        case 8: record.metrics.queueSeconds = fraction
        case 9: record.metrics.cpuSkew = fraction
        case 10: record.metrics.ioSkew = fraction
        case 11: record.metrics.segmentSeconds = fraction
        case 12: record.metrics.blocksRead = figure
        case 13: record.metrics.scanRows = figure
        case 14: record.metrics.temporaryBlocks = figure
        case 15: record.metrics.joinRows = figure
        case 16: record.metrics.nestedLoopRows = figure
        case 17: record.metrics.returnRows = figure
        default: record.runMicroseconds = figure
        }
    }
}
