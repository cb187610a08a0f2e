import BulkTransfer
import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes

/// Looks for new files of the jobs with AUTO ON and runs those jobs in their owners' names. A file is taken when two
/// looks have found it with the same size: one that is still being written grows. Files that fail are tried one by one,
/// and those at fault are noted and left alone. Of the maintenance's thread; what it knows is shown by
/// SYS_COPY_JOB_INFO.
final class CopyJobWatch: Sendable {
    struct Look: Sendable {
        var microseconds: Int64
        /// What was wrong with the location, or with the latest run.
        var error: String?
        fileprivate var nextNanoseconds: Int64
        /// Of files that are new.
        fileprivate var sizes: [LoadObject.Key: Int64]
        /// In a row: what is wrong with more than files is tried again later and later.
        fileprivate var failures: Int
    }
    private struct State {
        var looks: [ObjectID: Look] = [:]
        /// Ends the listing or the run that is under way.
        var cancel: (@Sendable () -> Void)?
        var isStopping = false
    }
    private let state = Lock(State())
    private let time: any TimeSource
    private static let localNanoseconds: Int64 = 2_000_000_000
    /// Listings of object stores cost time and money.
    private static let storedNanoseconds: Int64 = 30_000_000_000
    /// Up to two minutes, or half an hour.
    private static let mostDoublings = 7

    init(_ time: any TimeSource) { self.time = time }

    func look(_ job: ObjectID) -> Look? { state.withLock { $0.looks[job] } }

    func stop() {
        let cancel = state.withLock { state in
            state.isStopping = true
            return state.cancel
        }
        cancel?()
    }
    private var isStopping: Bool { state.withLock { $0.isStopping } }

    func round(_ warehouse: Warehouse) {
        let catalog = warehouse.store.snapshot().catalog
        var known: Set<ObjectID> = []
        for inside in catalog.withinEach where !inside.copyJobs.isEmpty {
            for job in inside.allCopyJobs where job.isAutomatic && !isStopping {
                known.insert(job.id)
                if look(job.id)?.nextNanoseconds ?? 0 > time.monotonicNanoseconds() { continue }
                visit(job, inside, warehouse)
            }
        }
        state.withLock { state in state.looks = state.looks.filter { known.contains($0.key) } }
    }

    private func visit(_ job: CopyJobDefinition, _ catalog: CatalogSnapshot, _ warehouse: Warehouse) {
        let before = look(job.id)
        var look = Look(
            microseconds: time.wallMicroseconds(), nextNanoseconds: 0, sizes: before?.sizes ?? [:],
            failures: before?.failures ?? 0)
        do {
            let ready = try ready(job, warehouse, &look)
            if !ready.isEmpty { try load(ready, job, catalog, warehouse) }
            look.failures = 0
        } catch {
            look.error = SQLError(error).message
            look.failures = min(look.failures + 1, CopyJobWatch.mostDoublings)
        }
        let isStored = job.source.lowercased().hasPrefix("s3://") && warehouse.places.s3Root == nil
        let pause = isStored ? CopyJobWatch.storedNanoseconds : CopyJobWatch.localNanoseconds
        look.nextNanoseconds = time.monotonicNanoseconds() + pause << Int64(max(look.failures - 1, 0))
        state.withLock { $0.looks[job.id] = look }
    }

    // MARK: Files

    private func ready(_ job: CopyJobDefinition, _ warehouse: Warehouse, _ look: inout Look) throws -> [LoadObject] {
        let record = try CopyJobRecord(job, warehouse.store.snapshot())
        let new = try list(job, warehouse).filter { record.files[$0.key] == nil && $0.sizeBytes > 0 }
        let ready = new.filter { look.sizes[$0.key] == $0.sizeBytes }
        look.sizes = Dictionary(new.map { ($0.key, $0.sizeBytes) }, uniquingKeysWith: { first, _ in first })
        // Who has the table may have it for long: the maintenance does not wait for that.
        let isHeld = warehouse.transactions.locks.entries.contains { $0.table == job.table && $0.isGranted }
        guard ready.isEmpty || !isHeld else {
            look.error = "another transaction has locked the table"
            return []
        }
        return ready
    }

    private func list(_ job: CopyJobDefinition, _ warehouse: Warehouse) throws -> [LoadObject] {
        let parsed = try Parser.parse(job.text)
        guard case .copy(let copy)? = parsed.first?.statement else { return [] }
        let options = try CopyOptions(parsing: copy.options.map { RawCopyOption($0) })
        let cancellation = CancellationToken()
        return try interruptible({ cancellation.cancel(.userRequest) }) {
            do {
                return try warehouse.places.source(job.source, access: options.access, cancellation: cancellation)
                    .list()
            } catch let error as SQLError where error.state == .undefinedFile {
                return []
            }
        }
    }

    private func interruptible<Result>(
        _ cancel: @escaping @Sendable () -> Void, _ body: () throws -> Result
    ) throws -> Result {
        let isStopping = state.withLock { state in
            state.cancel = cancel
            return state.isStopping
        }
        defer { state.withLock { $0.cancel = nil } }
        if isStopping { throw StatementCancelled(reason: .userRequest) }
        return try body()
    }

    // MARK: Loading

    /// All at once; when that fails by the files, each by itself.
    private func load(
        _ files: [LoadObject], _ job: CopyJobDefinition, _ catalog: CatalogSnapshot, _ warehouse: Warehouse
    ) throws {
        guard let owner = catalog.accounts.users[job.owner] else {
            throw SQLError(.undefinedObject, "the owner of copy job \"\(job.name)\" does not exist")
        }
        let session = try warehouse.connect(user: owner.name, database: catalog.database.name)
        session.isAutomatic = true
        defer { close(session) }
        try interruptible({ [weak session] in session?.cancel() }) {
            guard let error = try run(files, job, session) else { return }
            if files.count == 1 { return try note(files[0], error, job, session) }
            for file in files where !isStopping {
                if let error = try run([file], job, session) { try note(file, error, job, session) }
            }
        }
    }

    /// - Returns: what is wrong with the files; every other error is thrown.
    private func run(_ files: [LoadObject], _ job: CopyJobDefinition, _ session: Session) throws -> SQLError? {
        let fault = Fault()
        do {
            try session.run(CopyJobLoad(job, files: Set(files.map(\.key)), fault: fault))
            return nil
        } catch {
            if fault.isOfFiles { return SQLError(error) }
            throw error
        }
    }

    private func note(_ file: LoadObject, _ error: SQLError, _ job: CopyJobDefinition, _ session: Session) throws {
        let message = [error.message, error.detail ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        try session.run(CopyJobFailure(job: job, file: file, message: message))
    }

    private func close(_ session: Session) {
        do { try session.close() } catch {
            // It has no temporary tables to be dropped, and no block to be rolled back.
        }
    }
}

/// Whether the files of a load were at fault when it failed.
final class Fault: Sendable {
    private let value = Lock(false)
    var isOfFiles: Bool { value.withLock { $0 } }
    func note() { value.withLock { $0 = true } }
}
