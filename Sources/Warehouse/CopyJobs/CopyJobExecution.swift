import Binder
import BulkTransfer
import Catalog
import ColumnStore
import ColumnVectors
import SQLSyntax
import SQLTypes

/// COPY ... JOB CREATE, COPY JOB ALTER, SHOW, LIST and DROP; RUN is ``CopyJobLoad``.
struct CopyJobProgram: StatementProgram {
    let statement: BoundCopyJob

    init(_ statement: BoundCopyJob) { self.statement = statement }

    var kind: StatementKind {
        switch statement {
        case .create: StatementKind("CREATE COPY JOB")
        case .alter: StatementKind("ALTER COPY JOB")
        case .show: StatementKind("SHOW COPY JOB")
        case .run: StatementKind("RUN COPY JOB", .outside("COPY JOB RUN"))
        case .drop: StatementKind("DROP COPY JOB")
        case .list: StatementKind("LIST COPY JOBS")
        }
    }

    var effects: StatementEffects {
        switch statement {
        case .create: .definition()
        // A run of the job comes to its end first.
        case .alter(let job, _), .drop(let job): .definition(of: [job.record])
        case .run(let job): CopyJobLoad(job).effects
        case .show, .list: .lookup
        }
    }

    func check(_ rights: StatementRights) throws {
        switch statement {
        case .create(let create): try rights.require(.insert, on: create.copy.table)
        case .alter(let job, _), .show(let job), .run(let job), .drop(let job):
            try rights.requireOwner(of: .copyJob(job))
        case .list: break
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        switch statement {
        case .create(let create): try execution.create(create)
        case .alter(var job, let isAutomatic):
            job.isAutomatic = isAutomatic
            try execution.commit { $0.put(.copyJob(job)) }
        case .drop(let job):
            try execution.commit { catalog in
                try execution.remove(.copyJob(job), cascade: true, besides: [], from: &catalog)
                catalog.forgetAccessOfDropped()
            }
        case .run(let job): return try CopyJobLoad(job).run(execution, snapshot)
        case .show(let job): try execution.show([job], snapshot)
        case .list:
            let rights = execution.statementRights(snapshot).session
            try execution.show(snapshot.catalog.allCopyJobs.filter { rights.owns($0.owner) }, snapshot)
        }
        try execution.handler.end(tag: kind.name)
    }

    static let columns = [
        ResultColumn(name: "job_name", type: .varchar(128)), ResultColumn(name: "job_id", type: .bigint),
        ResultColumn(name: "auto", type: .boolean), ResultColumn(name: "table_name", type: .varchar(512)),
        ResultColumn(name: "data_source", type: .varchar(SQLType.maximumVarcharLength)),
        ResultColumn(name: "copy_query", type: .varchar(SQLType.maximumVarcharLength)),
    ]
}

extension StatementExecution {
    fileprivate func create(_ create: BoundCreateCopyJob) throws {
        try CopyJobText.check(create.copy.options, position: create.position)
        _ = try CopyOptions(parsing: create.copy.options.map(rawOption))
        try commit { catalog in
            if catalog.copyJobs[create.definition.name] != nil {
                throw create.definition.alreadyExists.at(create.position)
            }
            var job = create.definition
            job.id = catalog.makeObjectID()
            job.createdMicroseconds = started
            let record = try CopyJobRecord.makeTable(for: job, in: &catalog)
            job.record = record.id
            job.references.append(
                ObjectReference(
                    object: record.id, schema: record.schema, isQualified: true, name: record.name, columns: []))
            catalog.put(.copyJob(job))
        }
    }

    fileprivate func show(_ jobs: [CopyJobDefinition], _ snapshot: StoreSnapshot) throws {
        try handler.begin(columns: CopyJobProgram.columns)
        let batch = ColumnBatch(types: CopyJobProgram.columns.map(\.type))
        for job in jobs {
            let table = snapshot.catalog.relation(id: job.table)
            try batch.append([
                .text(job.name), .wide(job.id.raw), .boolean(job.isAutomatic),
                .optional(table.map { "\($0.schema).\($0.name)" }), .text(job.source), .text(job.text),
            ])
        }
        if !jobs.isEmpty { try handler.rows(batch) }
        rowCount = jobs.count
    }
}

/// The COPY that a job keeps.
enum CopyJobText {
    private static let refused: Set<String> = [
        "CREDENTIALS", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "MASTER_SYMMETRIC_KEY", "MANIFEST",
        "NOLOAD",
    ]

    /// Definitions are seen by many: no secrets come into them.
    static func check(_ options: [StatementOption], position: Int?) throws {
        for option in options {
            let words = option.name.uppercased().split(separator: " ").map(String.init)
            if words.contains("IAM_ROLE") { try checkRole(option, position) }
            guard let word = words.first(where: { refused.contains($0) }) else { continue }
            let isSecret = word != "MANIFEST" && word != "NOLOAD"
            throw SQLError(
                .featureNotSupported, "\(word) cannot be used with JOB",
                hint: isSecret ? "Use IAM_ROLE: jobs keep no keys." : nil, position: option.position.offset)
        }
    }

    /// Keys may stand in a role's place, too.
    private static func checkRole(_ option: StatementOption, _ position: Int?) throws {
        for value in option.values {
            guard case .string(let text, _) = value, text != "default" else { continue }
            let isRole = text.split(separator: ",").allSatisfy {
                $0.drop { $0 == " " }.hasPrefix("arn:") && !$0.contains("=aws") && !$0.contains(";")
            }
            if isRole { continue }
            throw SQLError(
                .featureNotSupported, "IAM_ROLE of a JOB is 'default' or the name of a role",
                hint: "It begins with arn:. Jobs keep no keys.", position: option.position.offset)
        }
    }

    /// The statement as it would run now: its table may have another name by now.
    static func statement(_ job: CopyJobDefinition, _ catalog: CatalogSnapshot) throws -> CopyStatement {
        let parsed = try Parser.parse(job.text)
        guard parsed.count == 1, case .copy(let copy) = parsed[0].statement else {
            throw SQLError(.internalError, "the text of copy job \"\(job.name)\" is no COPY")
        }
        guard let table = catalog.relation(id: job.table) else {
            throw SQLError(.undefinedTable, "the table of copy job \"\(job.name)\" does not exist")
        }
        let name = ObjectName(parts: [
            Identifier(table.schema, quoted: true), Identifier(table.name, quoted: true),
        ])
        return copy.into(name)
    }
}
