import ColumnStore
import Workload

/// The stored form of what workload management did with a statement.
enum AdmissionCodec {
    static func write(_ record: AdmissionRecord, _ writer: inout BinaryWriter) {
        writer.put(record.serviceClass)
        writer.put(record.serviceClassName)
        writer.put(record.slots)
        for moment in [
            record.arrivedMicroseconds, record.startedMicroseconds, record.endedMicroseconds,
            record.queueMicroseconds, record.memoryPeakBytes,
        ] { writer.put(moment) }
        writer.put(record.priority.rawValue)
        for flag in [record.isShort, record.isScaledOut, record.wasEvicted] { writer.put(flag) }
        write(record.metrics, &writer)
    }

    static func read(_ reader: inout BinaryReader) throws -> AdmissionRecord {
        let number = try reader.get(Int.self)
        var record = AdmissionRecord(number, try reader.getString())
        record.slots = try reader.get()
        record.arrivedMicroseconds = try reader.get()
        record.startedMicroseconds = try reader.get()
        record.endedMicroseconds = try reader.get()
        record.queueMicroseconds = try reader.get()
        record.memoryPeakBytes = try reader.get()
        record.priority = QueryPriority(rawValue: try reader.get()) ?? .normal
        record.isShort = try reader.getBool()
        record.isScaledOut = try reader.getBool()
        record.wasEvicted = try reader.getBool()
        record.metrics = try readMetrics(&reader)
        record.metrics.priority = record.priority
        return record
    }

    private static func write(_ metrics: QueryMetrics, _ writer: inout BinaryWriter) {
        for figure in [
            metrics.cpuSeconds, metrics.executionSeconds, metrics.queueSeconds, metrics.cpuSkew, metrics.ioSkew,
            metrics.segmentSeconds,
        ] { writer.put(figure) }
        for figure in [
            metrics.blocksRead, metrics.scanRows, metrics.temporaryBlocks, metrics.joinRows, metrics.nestedLoopRows,
            metrics.returnRows,
        ] { writer.put(figure) }
    }

    private static func readMetrics(_ reader: inout BinaryReader) throws -> QueryMetrics {
        var metrics = QueryMetrics()
        metrics.cpuSeconds = try reader.getDouble()
        metrics.executionSeconds = try reader.getDouble()
        metrics.queueSeconds = try reader.getDouble()
        metrics.cpuSkew = try reader.getDouble()
        metrics.ioSkew = try reader.getDouble()
        metrics.segmentSeconds = try reader.getDouble()
        metrics.blocksRead = try reader.get()
        metrics.scanRows = try reader.get()
        metrics.temporaryBlocks = try reader.get()
        metrics.joinRows = try reader.get()
        metrics.nestedLoopRows = try reader.get()
        metrics.returnRows = try reader.get()
        return metrics
    }
}
