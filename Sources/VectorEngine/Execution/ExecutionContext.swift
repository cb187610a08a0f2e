import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// Gives a query the tables of its snapshot, and the rows of system relations.
package protocol RelationProvider: Sendable {
    func table(_ id: ObjectID) throws -> TableSnapshot
    /// All rows of a system table or view, in its full column list's order; only these columns need values, the others
    /// may be left without rows.
    func systemRows(_ relation: String, columns: [Int]) throws -> ColumnBatch
    /// All rows of a call of a function in FROM.
    func functionRows(_ name: String, _ arguments: [Datum]) throws -> ColumnBatch
}

/// What a running query works with; immutable, shared by its workers.
package final class ExecutionContext: Sendable {
    package let pool: WorkerPool
    /// The same, for work outside of pipelines.
    package var workers: StatementWorkers { StatementWorkers(pool, share) }
    package let grant: MemoryGrant
    package let cancellation: CancellationToken
    package let relations: any RelationProvider
    package let shape: ClusterShape
    /// Rows of a batch; 2,048 measured best. Tests run with 1 to find what depends on it.
    package let batchRows: Int
    package let profile: ExecutionProfile?
    /// The session's zone and date order, and the statement's time.
    package let datetime: DatetimeContext
    package let facts: SessionFacts
    /// Where operators put rows that do not fit; nil: they end with "out of memory".
    package let temporary: TemporaryArea?
    package let options: ExecutionOptions
    /// For RANDOM().
    package let random: SharedRandom
    package let time: any TimeSource
    /// Its part of the workers, and where it counts what it uses; nil for the leader's own work.
    package let share: StatementShare?

    package init(
        pool: WorkerPool, grant: MemoryGrant, cancellation: CancellationToken, relations: any RelationProvider,
        shape: ClusterShape, batchRows: Int = 2048, profile: ExecutionProfile? = nil,
        datetime: DatetimeContext, facts: SessionFacts = SessionFacts(),
        temporary: TemporaryArea? = nil, options: ExecutionOptions = ExecutionOptions(),
        random: SharedRandom, time: any TimeSource, share: StatementShare? = nil
    ) {
        self.pool = pool
        self.grant = grant
        self.cancellation = cancellation
        self.relations = relations
        self.shape = shape
        self.batchRows = min(max(batchRows, 1), 8192)
        self.profile = profile
        self.datetime = datetime
        self.facts = facts
        self.temporary = temporary
        self.options = options
        self.random = random
        self.time = time
        self.share = share
    }

    /// False where the session has switched the way off.
    func takes(_ way: SpecialWay) -> Bool { options.disabled.isEmpty || !options.disabled.contains(way) }

    /// For side computations that are no plan step.
    var withoutProfile: ExecutionContext {
        profile == nil
            ? self
            : ExecutionContext(
                pool: pool, grant: grant, cancellation: cancellation, relations: relations, shape: shape,
                batchRows: batchRows, datetime: datetime, facts: facts, temporary: temporary, options: options,
                random: random, time: time, share: share)
    }

    /// Reserves from the query's memory, as an SQL error when refused.
    func reserve(_ bytes: Int) throws {
        if bytes <= 0 { return }
        do {
            try grant.reserve(bytes)
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
    }
}
