import ColumnVectors
import SQLTypes
import Warehouse

/// Encodes what statements return and sends it. While the client keeps up, rows go out as they come; when it does not,
/// they go to a spool that is emptied after the statement's work is done.
///
/// Calls of one statement come one at a time, but rows may come from any worker's thread.
final class ResultStream: ResultHandler {
    private let input: any ClientInput
    let output: any ClientOutput
    let buffer: TextBuffer
    private let limits: ServerLimits
    private let spool: ResultSpool
    private let formats: FormatCodes
    private let version: ProtocolVersion
    /// Simple queries describe their rows; extended ones did so on Describe.
    private let describesRows: Bool
    /// Asked when a result begins: SET may stand in front of it.
    private let makeStyle: () -> TextStyle
    private var style = TextStyle()
    /// For texts that a client sends within a binary COPY.
    private let makeDatetime: () -> DatetimeContext
    private let interruption: Interruption
    /// Throws when the statement is to end, by a time limit or another session.
    private let checkStatement: () throws -> Void
    private(set) var columns: [ResultColumn] = []
    private(set) var hasEnded = false
    /// SET or RESET was among the statements.
    private(set) var changedSettings = false
    private(set) var rowBytes = 0
    /// Rows only, for a portal that is read in parts: nothing is sent.
    private let portal: ResultSpool?
    /// Rows go out as COPY data instead of results.
    private var copy: CopyOutEncoder?

    init(
        input: any ClientInput, output: any ClientOutput, buffer: TextBuffer, limits: ServerLimits,
        formats: FormatCodes, version: ProtocolVersion = .base, describesRows: Bool,
        interruption: Interruption, checkStatement: @escaping () throws -> Void,
        portal: ResultSpool? = nil, style: @escaping () -> TextStyle,
        datetime: @escaping () -> DatetimeContext
    ) {
        self.input = input
        self.output = output
        self.buffer = buffer
        self.limits = limits
        self.formats = formats
        self.version = version
        self.describesRows = describesRows
        self.interruption = interruption
        self.checkStatement = checkStatement
        makeStyle = style
        makeDatetime = datetime
        self.portal = portal
        spool = ResultSpool(
            directory: limits.spoolDirectory, memoryLimit: 0, fileLimit: limits.spoolBytes)
    }

    func begin(columns: [ResultColumn]) throws {
        self.columns = columns
        style = makeStyle()
        guard formats.covers(columns.count) else {
            throw ProtocolViolation.error(
                "bind message has \(formats.count) result formats but query has \(columns.count) columns")
        }
        if describesRows { RowDescription(columns: columns, formats: formats, version: version).encode(into: buffer) }
    }

    func rows(_ batch: ColumnBatch) throws {
        if let copy {
            var row = 0
            while row < batch.rowCount {
                row = copy.encode(batch, from: row, limit: ServerLimits.chunkBytes, into: buffer)
                if buffer.count >= ServerLimits.chunkBytes { try passOn() }
            }
            return
        }
        let encoders = batch.columns.indices.map { index in
            ColumnEncoder(
                batch.columns[index],
                type: columns.indices.contains(index) ? columns[index].type : batch.types[index],
                isBinary: formats.isBinary(index),
                array: columns.indices.contains(index) ? columns[index].details.arrayID : 0, version: version)
        }
        try encoders.withUnsafeBufferPointer { encoders in
            var row = 0
            while row < batch.rowCount {
                row = RowEncoding.encode(
                    encoders, rows: row..<batch.rowCount, limit: ServerLimits.chunkBytes, style: style,
                    into: buffer)
                if buffer.count >= ServerLimits.chunkBytes { try passOn() }
            }
        }
        if portal != nil { try passOn() }
    }

    func end(tag: String) throws {
        hasEnded = true
        if ["SET", "RESET", "EXECUTE", "CALL"].contains(tag) { changedSettings = true }
        if portal != nil { return }
        if !spool.isEmpty {
            try passOn()
            try drain()
        }
        if let copy { copy.end(into: buffer) }
        copy = nil
        CommandComplete(tag: tag).encode(into: buffer)
    }

    // MARK: COPY

    func copyIn(_ format: ClientStreamFormat, columns: [ResultColumn]) throws -> any ClientRowSource {
        if portal != nil { throw SQLError(.featureNotSupported, "COPY cannot be read in parts") }
        style = makeStyle()
        let isBinary = format.kind == .binary
        CopyResponse(direction: .fromClient, isBinary: isBinary, columnCount: columns.count).encode(
            into: buffer)
        output.send(UnsafeRawBufferPointer(buffer.bytes))
        buffer.removeAll()
        return CopyInReader(
            input: input, interruption: interruption,
            binary: isBinary
                ? BinaryRowTranslator(
                    types: columns.map(\.type), context: makeDatetime()) : nil)
    }

    func beginCopyOut(_ format: ClientStreamFormat, columns: [ResultColumn]) throws {
        if portal != nil { throw SQLError(.featureNotSupported, "COPY cannot be read in parts") }
        style = makeStyle()
        let encoder = CopyOutEncoder(format, columns: columns, style: style)
        encoder.begin(into: buffer)
        copy = encoder
    }

    func notice(_ message: String) {
        if portal == nil { NoticeResponse(message).encode(into: buffer) }
    }

    /// Hands the buffer's bytes on without ever waiting.
    private func passOn() throws {
        try checkClient()
        if let portal {
            try portal.append(UnsafeRawBufferPointer(buffer.bytes))
        } else if spool.isEmpty && output.isWritable {
            output.send(UnsafeRawBufferPointer(buffer.bytes))
        } else {
            try spool.append(UnsafeRawBufferPointer(buffer.bytes))
            while output.isWritable, let bytes = try spool.take() {
                bytes.withUnsafeBytes { output.send($0) }
            }
        }
        buffer.removeAll()
    }

    /// Sends what the client was too slow for.
    private func drain() throws {
        while let bytes = try spool.take() {
            while !output.isWritable {
                try checkClient()
                output.waitUntilWritable()
            }
            try checkClient()
            bytes.withUnsafeBytes { output.send($0) }
        }
    }

    private func checkClient() throws {
        if output.isClosed { throw SQLError("08006", "connection to client lost") }
        if interruption.isRequested {
            throw SQLError(.queryCanceled, "canceling statement due to user request")
        }
        try checkStatement()
    }
}
