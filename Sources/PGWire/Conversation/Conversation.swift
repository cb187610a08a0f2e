import SQLTypes
import Synchronization
import Warehouse

/// One client's session from its first message to its last: does what the ``ConversationMachine`` decides, with a
/// ``Session``. Confined to the session's thread.
final class Conversation {
    let session: Session
    let input: any ClientInput
    let output: any ClientOutput
    let limits: ServerLimits
    let statistics: ServerStatistics
    let interruption: Interruption
    let buffer = TextBuffer(capacity: 4096)
    var unnamed: PreparedStatement?
    var portals: [String: Portal] = [:]
    private let identity: ClientIdentity
    let version: ProtocolVersion
    private var machine = ConversationMachine()
    private var reported = ReportedParameters()
    var hasNewSettings = false

    init(
        session: Session, identity: ClientIdentity, input: any ClientInput, output: any ClientOutput,
        limits: ServerLimits, statistics: ServerStatistics, interruption: Interruption
    ) {
        self.session = session
        self.identity = identity
        version = ReportedParameters.protocolVersion(of: identity) ?? .base
        self.input = input
        self.output = output
        self.limits = limits
        self.statistics = statistics
        self.interruption = interruption
    }

    /// Everything between AuthenticationOk and the first ReadyForQuery.
    func start(processID: Int32, key: Int32) {
        for (name, value) in ReportedParameters.settings(of: identity) {
            // A setting that this server does not take is no reason to refuse a client.
            _ = try? session.query("SET \(name) TO \(LiteralText.quoted(value))")
        }
        for status in ReportedParameters.fixed(for: identity) { status.encode(into: buffer) }
        for status in reported.changes(session.settings) { status.encode(into: buffer) }
        BackendKeyData(processID: processID, key: key).encode(into: buffer)
        ready()
    }

    func handle(_ frame: Frame) {
        interruption.beginMessage()
        defer { interruption.endMessage() }
        switch machine.receive(frame) {
        case .ignore: break
        case .close: output.finish()
        case .fail(let error): report(error, frame.type)
        case .perform(let message):
            do {
                try perform(message)
            } catch {
                report(SQLError(error), frame.type)
            }
        }
    }

    /// The connection is over: no message will be taken any more.
    var hasEnded: Bool { machine.isClosed }

    /// Says why the connection ends, and ends it.
    func end(_ error: SQLError) {
        machine.close()
        ErrorResponse(severity: .fatal, error: error).encode(into: buffer)
        flush()
        output.finish()
    }

    private func perform(_ message: FrontendMessage) throws {
        switch message {
        case .query(let query):
            try run(query)
            ready()
        case .parse(let message): try parse(message)
        case .bind(let message): try bind(message)
        case .describe(let message): try describe(message)
        case .execute(let message): try execute(message)
        case .close(let message): close(message)
        case .flush: flush()
        case .sync:
            if !isInTransaction { portals.removeAll() }
            ready()
        case .functionCall:
            throw SQLError(.featureNotSupported, "function calls by message are not supported")
        case .terminate, .password, .copyData, .copyDone, .copyFail: break
        }
    }

    private func report(_ error: SQLError, _ frameType: UInt8) {
        statistics.noteError(error.state)
        if error.state == "57P01" { return end(error) }
        session.failTransaction()
        ErrorResponse(error: error).encode(into: buffer)
        if machine.failed(frameType) { ready() } else { flush() }
    }

    private func ready() {
        if hasNewSettings {
            hasNewSettings = false
            for status in reported.changes(session.settings) { status.encode(into: buffer) }
        }
        ReadyForQuery(status: transactionStatus).encode(into: buffer)
        flush()
    }

    /// Waits for clients that send more than they read, so that replies do not pile up.
    func flush() {
        if buffer.count == 0 { return }
        while !output.isWritable && !output.isClosed { output.waitUntilWritable() }
        output.send(UnsafeRawBufferPointer(buffer.bytes))
        buffer.removeAll()
    }

    private func run(_ query: QueryMessage) throws {
        unnamed = nil
        portals[""] = nil
        statistics.statements.add(1, ordering: .relaxed)
        let stream = makeStream(formats: .text, describesRows: true)
        defer { hasNewSettings = hasNewSettings || stream.changedSettings }
        try session.execute(query.sql, stream)
        if !stream.hasEnded { PlainMessage.emptyQueryResponse.encode(into: buffer) }
    }

    func makeStream(
        formats: FormatCodes, describesRows: Bool, buffer: TextBuffer? = nil, portal: ResultSpool? = nil
    ) -> ResultStream {
        let session = session
        return ResultStream(
            input: input, output: output, buffer: buffer ?? self.buffer, limits: limits, formats: formats,
            version: version, describesRows: describesRows, interruption: interruption,
            checkStatement: { try session.checkCancelled() }, portal: portal,
            style: {
                TextStyle(
                    zone: session.settings.zone, intervals: session.settings.intervalStyle,
                    extraDigits: session.settings.extraFloatDigits)
            }, datetime: { session.datetime })
    }

    var isInTransaction: Bool { transactionStatus != UInt8(ascii: "I") }
    private var transactionStatus: UInt8 {
        switch session.transactionStatus {
        case .idle: UInt8(ascii: "I")
        case .inTransaction: UInt8(ascii: "T")
        case .failed: UInt8(ascii: "E")
        }
    }
}
