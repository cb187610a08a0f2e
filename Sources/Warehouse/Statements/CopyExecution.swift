import Binder
import BulkTransfer
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import Workload

extension BoundCopy: StatementProgram {
    var kind: StatementKind { StatementKind("COPY") }
    var effects: StatementEffects {
        var effects = StatementEffects.addition(to: table)
        effects.usesRows = false
        // Rows of a client come when it likes, on the session's own thread: no slot waits for them.
        if source != nil { effects.admission = .load }
        return effects
    }
    func check(_ rights: StatementRights) throws { try rights.require(.insert, on: table) }
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.copy(self, snapshot) }
}

extension StatementExecution {
    /// COPY: parts are written first and become visible with one commit; a failed load leaves the table as it was.
    fileprivate func copy(_ copy: BoundCopy, _ snapshot: StoreSnapshot) throws {
        let format = copy.source == nil ? try ClientStreamFormat(parsing: copy.options.map(rawOption)) : nil
        let options =
            try format.map { _ in ClientStreamSource.loadOptions } ?? CopyOptions(parsing: copy.options.map(rawOption))
        let target = try target(of: copy, options, snapshot)
        let result: CopyResult
        do {
            result =
                try format.map { try loadFromClient(copy, $0, target.columns, target.writer) }
                ?? load(copy, options, target, from: nil)
        } catch let failure as LoadFailure {
            throw failure.error
        }
        if let change = try target.change(workers) { try apply(change, on: snapshot) }
        if copy.source == nil {
            rowCount = result.rowsLoaded
            return try handler.end(tag: "COPY \(rowCount)")
        }
        report(result, copy)
        if options.statisticsUpdate == .on, target.writer != nil {
            try analyze(copy.table, nil, false, transaction.snapshot(store))
        }
        try handler.end(tag: "COPY")
    }

    /// Where the rows of a load go.
    struct CopyTarget {
        var columns: CopyColumns
        var writer: TableWriter?
        fileprivate var identities: IdentityCounters

        /// What a successful load has made of the table; nil when nothing was to be loaded.
        func change(_ workers: StatementWorkers) throws -> StoreChange? {
            guard let writer else { return nil }
            var change = StoreChange()
            change.added = [try writer.finish(workers)]
            change.identity = identities.next
            return change
        }
    }

    func target(of copy: BoundCopy, _ options: CopyOptions, _ snapshot: StoreSnapshot) throws -> CopyTarget {
        let identityColumns = copy.table.columns.indices.filter {
            copy.table.columns[$0].identity != nil && !copy.columns.contains($0)
        }
        let identities = IdentityCounters(copy.table, identityColumns, [snapshot, store.pendingSnapshot()])
        var fills: [Int: CopyColumns.Fill] = [:]
        for (index, expression) in copy.defaults { fills[index] = .constant(try constant(expression, snapshot)) }
        for index in identityColumns {
            fills[index] = .identity(IdentityCounters.Generator(counters: identities, column: index))
        }
        return CopyTarget(
            columns: CopyColumns(fields: copy.columns, fills: fills),
            writer: options.noLoad
                ? nil : try store.writer(for: copy.table, view: snapshot, narrows: narrowsLoads),
            identities: identities)
    }

    /// Reads all files into the target's writer; nothing is committed yet. Throws a `LoadFailure` for bad rows.
    ///
    /// - Parameters:
    ///   - source: nil: the one that the statement names.
    ///   - job: the copy job that it is for.
    func load(
        _ copy: BoundCopy, _ options: CopyOptions, _ target: CopyTarget, from source: (any LoadSource)?,
        job number: Int64 = 0
    ) throws -> CopyResult {
        let handler = SharedHandler(self.handler)
        do {
            let source =
                try source
                ?? warehouse.places.source(
                    copy.source ?? "", isManifest: options.manifest, access: options.access,
                    cancellation: cancellation)
            let job = try CopyJob(
                table: copy.table, columns: target.columns, source: source, options: options,
                sink: target.writer.map { TableSink($0) }, workers: workers, cancellation: cancellation,
                context: DatetimeContext(nowMicroseconds: started, zone: session.settings.zone),
                memory: warehouse.budget,
                progress: { done, total, rows in
                    handler.progress(total > 0 ? Double(done) / Double(total) : nil, "\(rows) rows loaded")
                })
            return try job.run()
        } catch let failure as LoadFailure {
            record(failure.loadErrors, copy.table, number)
            throw failure
        }
    }

    private func record(_ errors: [LoadError], _ table: TableDefinition, _ job: Int64) {
        warehouse.log.add(
            errors.map {
                WarehouseLog.BadRow(
                    user: session.effectiveUser, query: queryID, session: session.number, table: table.id.raw,
                    startMicroseconds: started, error: $0, copyJob: job)
            })
    }

    func report(_ result: CopyResult, _ copy: BoundCopy, job: Int64 = 0) {
        record(result.errors, copy.table, job)
        let now = warehouse.time.wallMicroseconds()
        warehouse.log.add(
            result.files.map {
                WarehouseLog.LoadedFile(
                    user: session.effectiveUser, query: queryID, name: $0.name, rows: $0.rowsScanned,
                    bytes: $0.sizeBytes, endMicroseconds: now, errors: $0.errors,
                    copyJob: job)
            })
        rowCount = result.rowsLoaded
        let loaded = "INFO:  Load into table '\(copy.table.name)' completed, \(result.rowsLoaded) record(s) loaded "
        if result.errorCount > 0 {
            handler.notice(
                loaded + "successfully, \(result.errorCount) record(s) were skipped.  "
                    + "Check 'stl_load_errors' system table for details.")
        } else {
            handler.notice(loaded + "successfully.")
        }
    }

    func rawOption(_ option: StatementOption) -> RawCopyOption {
        RawCopyOption(option, position: position(of: option.position))
    }
}

extension RawCopyOption {
    init(_ option: StatementOption, position: Int? = nil) {
        let values = option.values.compactMap { value -> RawCopyOption.Value? in
            switch value {
            case .string(let text, _): .string(text)
            case .number(let text, _): .number(text)
            case .word(let text, _): .word(text)
            case .names: nil
            }
        }
        self.init(option.name, values, position: position)
    }
}

/// A handler that workers may call; progress calls are one at a time.
final class SharedHandler: @unchecked Sendable {  // guarded by `lock`
    private let handler: any ResultHandler
    private let lock = Monitor()
    init(_ handler: any ResultHandler) { self.handler = handler }
    func progress(_ fraction: Double?, _ activity: String) { lock.withLock { handler.progress(fraction, activity) } }
}
