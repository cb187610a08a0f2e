import Binder
import BulkTransfer
import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes
import Workload

/// COPY JOB RUN: the job's COPY of those files that it has not loaded yet, with the record of them in the same commit.
struct CopyJobLoad: StatementProgram {
    let job: CopyJobDefinition
    /// These alone, as far as they are new; nil: all that are there.
    var files: Set<LoadObject.Key>?
    /// Tells who started it whether a file was at fault.
    let fault: Fault?

    init(_ job: CopyJobDefinition, files: Set<LoadObject.Key>? = nil, fault: Fault? = nil) {
        self.job = job
        self.files = files
        self.fault = fault
    }

    var text: String { "copy job run \(CatalogArray.quoted(job.name))" }
    var kind: StatementKind { StatementKind("RUN COPY JOB", .outside("COPY JOB RUN")) }
    /// Both tables are locked: runs of a job come one after the other.
    var effects: StatementEffects {
        var effects = StatementEffects.definition(of: [job.table, job.record])
        effects.lock = .write
        effects.admission = .load
        return effects
    }
    func check(_ rights: StatementRights) throws { try rights.requireOwner(of: .copyJob(job)) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        // Somebody may have changed it, or dropped it, before the locks were there.
        guard case .copyJob(let job)? = snapshot.catalog.object(id: job.id) else {
            throw SQLError(.undefinedObject, "copy job \"\(job.name)\" does not exist")
        }
        let known = try CopyJobRecord(job, snapshot)
        let statement = try CopyJobText.statement(job, snapshot.catalog)
        let copy = try execution.bound(statement, snapshot)
        if !execution.user.isSuperuser {
            try execution.statementRights(snapshot).require(.insert, on: copy.table)
        }
        let options = try CopyOptions(parsing: copy.options.map(execution.rawOption))
        let all = try execution.warehouse.places.source(
            job.source, access: options.access, cancellation: execution.cancellation)
        let source = try NewFiles(all, known: known.loaded, only: files)
        if source.hasAny {
            try load(copy, options, source, job, execution, snapshot)
        } else {
            execution.handler.notice("INFO:  Copy job '\(job.name)' has found no new files.")
        }
        try execution.handler.end(tag: kind.name)
    }

    private func load(
        _ copy: BoundCopy, _ options: CopyOptions, _ source: NewFiles, _ job: CopyJobDefinition,
        _ execution: StatementExecution, _ snapshot: StoreSnapshot
    ) throws {
        let target = try execution.target(of: copy, options, snapshot)
        let result: CopyResult
        do {
            result = try execution.load(copy, options, target, from: source, job: job.id.raw)
        } catch {
            if execution.isAboutFiles(error) { fault?.note() }
            throw (error as? LoadFailure)?.error ?? error
        }
        guard var change = try target.change(execution.workers) else { return }
        let now = execution.warehouse.time.wallMicroseconds()
        let files = result.files.map { file in
            CopyJobRecord.File(
                name: file.name, sizeBytes: file.sizeBytes, rows: Int64(file.rowsScanned - file.errors),
                query: Int64(execution.queryID), microseconds: now)
        }
        change.added.append(try CopyJobRecord.parts(files, job, execution, snapshot))
        try execution.apply(change, on: snapshot)
        execution.report(result, copy, job: job.id.raw)
    }
}

/// A file that cannot be loaded is noted, so that nobody tries it again and again.
struct CopyJobFailure: StatementProgram {
    let job: CopyJobDefinition
    let file: LoadObject
    let message: String

    var text: String { "copy job run \(CatalogArray.quoted(job.name)) -- notes a file that cannot be loaded" }
    var kind: StatementKind { StatementKind("RUN COPY JOB", .outside("COPY JOB RUN")) }
    var effects: StatementEffects {
        var effects = StatementEffects.definition(of: [job.record])
        effects.lock = .write
        return effects
    }
    func check(_ rights: StatementRights) throws { try rights.requireOwner(of: .copyJob(job)) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let failure = CopyJobRecord.File(
            name: file.name, sizeBytes: file.sizeBytes, rows: nil, query: Int64(execution.queryID),
            microseconds: execution.warehouse.time.wallMicroseconds(), message: message)
        var change = StoreChange()
        change.added = [try CopyJobRecord.parts([failure], job, execution, snapshot)]
        try execution.apply(change, on: snapshot)
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementExecution {
    fileprivate func bound(_ statement: CopyStatement, _ snapshot: StoreSnapshot) throws -> BoundCopy {
        guard case .copy(let copy) = try binder(snapshot).bind(.copy(statement)).statement else {
            throw SQLError(.internalError, "a copy job is no COPY")
        }
        return copy
    }

    /// Whether trying again without a change of the files is of no use.
    fileprivate func isAboutFiles(_ error: any Error) -> Bool {
        if error is LoadFailure { return true }
        guard let error = error as? SQLError, cancellation.reason == nil else { return false }
        return error.state.code.hasPrefix("22") || [.featureNotSupported, .limitExceeded].contains(error.state)
    }
}

/// The files of a source that a job has not loaded. They are listed once.
private struct NewFiles: LoadSource {
    private let source: any LoadSource
    private let new: [LoadObject]

    init(_ source: any LoadSource, known: Set<LoadObject.Key>, only wanted: Set<LoadObject.Key>?) throws {
        self.source = source
        do {
            new = try source.list().filter {
                !known.contains($0.key) && wanted?.contains($0.key) ?? true && $0.sizeBytes > 0
            }
        } catch let error as SQLError where error.state == .undefinedFile {
            // Nothing has come yet.
            new = []
        }
    }

    var hasAny: Bool { !new.isEmpty }
    func list() throws -> [LoadObject] { new }
    func open(_ object: LoadObject) throws -> any LoadInput { try source.open(object) }
    func readCompanion(_ location: String, limit: Int) throws -> [UInt8] {
        try source.readCompanion(location, limit: limit)
    }
}
