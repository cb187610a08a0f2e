import BulkTransfer
import ColumnStore

/// One entry of the history files.
enum HistoryRecord: Sendable {
    case query(WarehouseLog.Query, QueryDetail?)
    case badRows([WarehouseLog.BadRow])
    case files([WarehouseLog.LoadedFile])
    case unload(WarehouseLog.Unload)
    case connection(WarehouseLog.Connection)
    /// Of a client that did not get a session.
    case refusal(WarehouseLog.Connection)
}

/// The stored form. Tags are fixed for ever; new ones are added at the end, and readers skip those they do not know.
enum HistoryCodec {
    static func encode(_ record: HistoryRecord) -> [UInt8] {
        var writer = BinaryWriter(capacity: 512)
        switch record {
        case .query(let query, let detail):
            writer.put(UInt8(1))
            write(query, &writer)
            writer.put(detail) { write($1, &$0) }
            writer.put(query.database)
            writer.put(query.admission) { AdmissionCodec.write($1, &$0) }
            writer.put(query.sourceQuery) { $0.put($1) }
            writer.put(query.isOfLeader)
        case .badRows(let rows):
            writer.put(UInt8(2))
            writer.put(rows) { write($1, &$0) }
            writer.put(rows) { $0.put($1.copyJob) }
        case .files(let files):
            writer.put(UInt8(3))
            writer.put(files) { write($1, &$0) }
            writer.put(files) { $0.put($1.copyJob) }
        case .connection(let connection):
            writer.put(UInt8(4))
            write(connection, &writer)
        case .unload(let unload):
            writer.put(UInt8(5))
            write(unload, &writer)
        case .refusal(let connection):
            writer.put(UInt8(6))
            write(connection, &writer)
            writer.put(connection.reason)
        }
        return writer.bytes
    }

    /// nil for kinds that a later version has written.
    static func decode(_ bytes: [UInt8], file: String) throws -> HistoryRecord? {
        var reader = BinaryReader(bytes, file: file)
        switch try reader.get(UInt8.self) {
        case 1:
            var query = try readQuery(&reader)
            let detail = try reader.getOptional { try readDetail(&$0) }
            if !reader.isAtEnd { query.database = try reader.getString() }
            if !reader.isAtEnd { query.admission = try reader.getOptional { try AdmissionCodec.read(&$0) } }
            if !reader.isAtEnd { query.sourceQuery = try reader.getOptional { try $0.getInt() } }
            if !reader.isAtEnd { query.isOfLeader = try reader.getBool() }
            query.classify()
            return .query(query, detail)
        case 2:
            var rows = try reader.getList { try readBadRow(&$0) }
            for (index, job) in try readCopyJobs(&reader).enumerated() where rows.indices.contains(index) {
                rows[index].copyJob = job
            }
            return .badRows(rows)
        case 3:
            var files = try reader.getList { try readFile(&$0) }
            for (index, job) in try readCopyJobs(&reader).enumerated() where files.indices.contains(index) {
                files[index].copyJob = job
            }
            return .files(files)
        case 4: return .connection(try readConnection(&reader))
        case 5: return .unload(try readUnload(&reader))
        case 6:
            var connection = try readConnection(&reader)
            connection.reason = try reader.getString()
            return .refusal(connection)
        default: return nil
        }
    }

    /// Behind the rows, one for each; older versions wrote none.
    private static func readCopyJobs(_ reader: inout BinaryReader) throws -> [Int64] {
        reader.isAtEnd ? [] : try reader.getList { try $0.get() }
    }

    /// The id alone, to go on from; nil for other kinds.
    static func queryID(_ bytes: [UInt8], file: String) throws -> Int? {
        var reader = BinaryReader(bytes, file: file)
        return try reader.get(UInt8.self) == 1 ? try reader.getInt() : nil
    }

    // MARK: Statements

    private static func write(_ query: WarehouseLog.Query, _ writer: inout BinaryWriter) {
        writer.put(query.id)
        writer.put(query.session)
        writer.put(query.user)
        writer.put(query.text)
        writer.put(query.startMicroseconds)
        writer.put(query.endMicroseconds)
        writer.put(query.rows)
        writer.put(query.errorMessage) { $0.put($1) }
        writer.put(query.errorState) { $0.put($1) }
        writer.put(query.transaction)
        writer.put(query.label)
        writer.put(query.planningMicroseconds)
        writer.put(query.resultBytes)
    }

    private static func readQuery(_ reader: inout BinaryReader) throws -> WarehouseLog.Query {
        var query = WarehouseLog.Query(
            id: try reader.getInt(), session: try reader.getInt(), user: try reader.getInt(),
            text: try reader.getString(), startMicroseconds: try reader.get(), endMicroseconds: try reader.get(),
            rows: try reader.getInt(), errorMessage: try reader.getOptional { try $0.getString() })
        query.errorState = try reader.getOptional { try $0.getString() }
        query.transaction = try reader.get()
        query.label = try reader.getString()
        query.planningMicroseconds = try reader.get()
        query.resultBytes = try reader.get()
        return query
    }

    private static func write(_ detail: QueryDetail, _ writer: inout BinaryWriter) {
        writer.put(detail.query)
        writer.put(detail.nodes) { writer, node in
            writer.put(node.parent)
            writer.put(node.text)
            writer.put(node.info)
            for figure in [node.startupCost, node.totalCost, node.rows, node.width] { writer.put(figure) }
        }
        writer.put(detail.steps) { write($1, &$0) }
    }

    private static func readDetail(_ reader: inout BinaryReader) throws -> QueryDetail {
        QueryDetail(
            query: try reader.getInt(),
            nodes: try reader.getList { reader in
                QueryDetail.Node(
                    parent: try reader.getInt(), text: try reader.getString(), info: try reader.getString(),
                    startupCost: try reader.getDouble(), totalCost: try reader.getDouble(),
                    rows: try reader.getDouble(), width: try reader.getDouble())
            },
            steps: try reader.getList { try readStep(&$0) })
    }

    private static func write(_ step: StepRecord, _ writer: inout BinaryWriter) {
        writer.put(step.segment)
        writer.put(step.step)
        writer.put(step.kind.rawValue)
        writer.put(step.node)
        writer.put(step.table)
        writer.put(step.tableName)
        writer.put(step.isRangeRestricted)
        writer.put(step.isDiskBased)
        writer.put(step.blocks)
        writer.put(step.form)
        writer.put(step.slices) { writer, slice in
            writer.put(slice.slice)
            writer.put(slice.rows)
            writer.put(slice.bytes)
            writer.put(slice.rowsBeforeFilter)
            writer.put(slice.busyMicroseconds)
            writer.put(slice.startMicroseconds)
            writer.put(slice.endMicroseconds)
        }
    }

    private static func readStep(_ reader: inout BinaryReader) throws -> StepRecord {
        StepRecord(
            segment: try reader.getInt(), step: try reader.getInt(),
            kind: StepRecord.Kind(rawValue: try reader.getString()) ?? .project, node: try reader.getInt(),
            table: try reader.get(), tableName: try reader.getString(), isRangeRestricted: try reader.getBool(),
            isDiskBased: try reader.getBool(), blocks: try reader.getInt(), form: try reader.getString(),
            slices: try reader.getList { reader in
                StepRecord.Slice(
                    slice: try reader.getInt(), rows: try reader.get(), bytes: try reader.get(),
                    rowsBeforeFilter: try reader.get(), busyMicroseconds: try reader.get(),
                    startMicroseconds: try reader.get(), endMicroseconds: try reader.get())
            })
    }

    // MARK: Loads and connections

    private static func write(_ row: WarehouseLog.BadRow, _ writer: inout BinaryWriter) {
        writer.put(row.user)
        writer.put(row.query)
        writer.put(row.session)
        writer.put(row.table)
        writer.put(row.startMicroseconds)
        let error = row.error
        for text in [error.file, error.column, error.type, error.length, error.rawLine, error.rawField, error.reason] {
            writer.put(text)
        }
        for number in [error.line, error.position, error.code] { writer.put(number) }
    }

    private static func readBadRow(_ reader: inout BinaryReader) throws -> WarehouseLog.BadRow {
        let user = try reader.getInt()
        let (query, session) = (try reader.getInt(), try reader.getInt())
        let (table, start) = (try reader.get(Int64.self), try reader.get(Int64.self))
        let file = try reader.getString(), column = try reader.getString(), type = try reader.getString()
        let length = try reader.getString(), line = try reader.getString(), field = try reader.getString()
        let reason = try reader.getString()
        let error = LoadError(
            file: file, line: try reader.getInt(), column: column, type: type, length: length,
            position: try reader.getInt(), rawLine: line, rawField: field, code: try reader.getInt(), reason: reason)
        return WarehouseLog.BadRow(
            user: user, query: query, session: session, table: table, startMicroseconds: start, error: error)
    }

    private static func write(_ file: WarehouseLog.LoadedFile, _ writer: inout BinaryWriter) {
        writer.put(file.user)
        writer.put(file.query)
        writer.put(file.name)
        writer.put(file.rows)
        writer.put(file.bytes)
        writer.put(file.endMicroseconds)
        writer.put(file.format)
        writer.put(file.errors)
    }

    private static func readFile(_ reader: inout BinaryReader) throws -> WarehouseLog.LoadedFile {
        WarehouseLog.LoadedFile(
            user: try reader.getInt(), query: try reader.getInt(), name: try reader.getString(),
            rows: try reader.getInt(),
            bytes: try reader.get(), endMicroseconds: try reader.get(), format: try reader.getString(),
            errors: try reader.getInt())
    }

    private static func write(_ unload: WarehouseLog.Unload, _ writer: inout BinaryWriter) {
        for number in [unload.user, unload.query, unload.session] { writer.put(number) }
        for text in [unload.location, unload.format, unload.compression] { writer.put(text) }
        writer.put(unload.files) { writer, file in
            writer.put(file.name)
            writer.put(file.slice)
            writer.put(file.rows)
            writer.put(file.bytes)
            writer.put(file.startMicroseconds)
            writer.put(file.endMicroseconds)
        }
    }

    private static func readUnload(_ reader: inout BinaryReader) throws -> WarehouseLog.Unload {
        WarehouseLog.Unload(
            user: try reader.getInt(), query: try reader.getInt(), session: try reader.getInt(),
            location: try reader.getString(), format: try reader.getString(), compression: try reader.getString(),
            files: try reader.getList { reader in
                UnloadedFile(
                    name: try reader.getString(), slice: try reader.getInt(), rows: try reader.getInt(),
                    bytes: try reader.get(), startMicroseconds: try reader.get(),
                    endMicroseconds: try reader.get())
            })
    }

    private static func write(_ connection: WarehouseLog.Connection, _ writer: inout BinaryWriter) {
        writer.put(connection.event.rawValue)
        writer.put(connection.microseconds)
        writer.put(connection.session)
        writer.put(connection.durationMicroseconds)
        let client = connection.client
        for text in [
            client.user, client.host, client.port, client.authentication, client.encryption, client.application,
            client.operatingSystem, client.driver, client.plugin,
        ] { writer.put(text) }
        writer.put(client.protocolVersion)
        writer.put(connection.user)
        writer.put(client.database)
    }

    private static func readConnection(_ reader: inout BinaryReader) throws -> WarehouseLog.Connection {
        let number = try reader.getInt()
        guard let event = WarehouseLog.Connection.Event(rawValue: number) else {
            throw reader.corrupted("unknown event")
        }
        let moment = try reader.get(Int64.self), session = try reader.getInt(), duration = try reader.get(Int64.self)
        var client = ClientFacts()
        client.user = try reader.getString()
        client.host = try reader.getString()
        client.port = try reader.getString()
        client.authentication = try reader.getString()
        client.encryption = try reader.getString()
        client.application = try reader.getString()
        client.operatingSystem = try reader.getString()
        client.driver = try reader.getString()
        client.plugin = try reader.getString()
        client.protocolVersion = try reader.getInt()
        let user = reader.isAtEnd ? 0 : try reader.getInt()
        if !reader.isAtEnd { client.database = try reader.getString() }
        return WarehouseLog.Connection(
            event: event, microseconds: moment, session: session, user: user, durationMicroseconds: duration,
            client: client)
    }
}

extension BinaryReader {
    fileprivate mutating func getInt() throws -> Int { try get(Int.self) }
}
