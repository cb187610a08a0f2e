import Binder
import Catalog
import ColumnStore
import Optimizer
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// Plans of queries that were planned before, by whomever: they run without parser, binder and optimizer.
extension StatementExecution {
    /// Where plans may be looked up and kept.
    private struct Shelf {
        var snapshot: StoreSnapshot
        var epoch: UInt64
        var temporaryOwner: Int
    }

    /// nil in blocks with changes of their own, whose state nobody else sees, and in serializable ones, which say what
    /// they read.
    private func shelf(_ snapshot: StoreSnapshot) -> Shelf? {
        if session.settings.execution.disabled.contains(.planCache) { return nil }
        if session.transaction?.hasChanges == true { return nil }
        let isolation = session.transaction?.isolation ?? session.defaultTransactionModes.isolation
        if isolation == .serializable { return nil }
        let hasTemporary = snapshot.catalog.schema(named: session.temporarySchema) != nil
        return Shelf(
            snapshot: snapshot, epoch: warehouse.plans.epoch(snapshot.version),
            temporaryOwner: hasTemporary ? session.number : 0)
    }

    private func key(_ text: String, _ types: [SQLType], _ shelf: Shelf, user: Int = PlanKey.everyone) -> PlanKey {
        PlanKey(
            text: text, parameterTypes: types, user: user, settings: session.settings.planningKey,
            temporaryOwner: shelf.temporaryOwner, database: shelf.snapshot.catalog.databaseID,
            connection: session.database)
    }

    /// What was kept of a text for everybody, or for this user, for whom names mean something else.
    private func find(_ text: String, _ types: [SQLType], _ shelf: Shelf) -> CachedStatement? {
        guard let shared = warehouse.plans.find(key(text, types, shelf), epoch: shelf.epoch) else { return nil }
        if isMine(shared, shelf) { return shared }
        return warehouse.plans.find(key(text, types, shelf, user: session.effectiveUser), epoch: shelf.epoch)
    }

    private func isMine(_ statement: CachedStatement, _ shelf: Shelf) -> Bool {
        statement.key.user == session.effectiveUser || isMine(statement.content.planned, shelf.snapshot)
    }

    /// For everybody; where another user's is there already and means something else, for this one.
    private func keep(_ content: CachedStatement.Content, _ text: String, _ types: [SQLType], _ shelf: Shelf) {
        let everyone = key(text, types, shelf)
        let present = warehouse.plans.find(everyone, epoch: shelf.epoch)
        let isFree = present.map { isMine($0, shelf) } ?? true
        let key = isFree ? everyone : key(text, types, shelf, user: session.effectiveUser)
        warehouse.plans.put(CachedStatement(key, epoch: shelf.epoch, content))
    }

    // MARK: Texts

    /// The plan of a text that is one query.
    func plan(
        _ sql: String, _ template: StatementTemplate, _ snapshot: StoreSnapshot
    ) throws -> PlannedStatement {
        let shelf = shelf(snapshot)
        let values = template.literals.map(StatementParameter.init(literal:))
        let types = values.map(\.type)
        if let shelf, let known = find(template.text, types, shelf) {
            if let planned = known.planned(with: values) { return use(planned) }
            // The values matter: each text has its own plan.
            if let planned = find(sql, [], shelf)?.planned(with: []) { return use(planned) }
        }
        guard let parsed = try Parser.parse(sql, options: session.settings.syntax, budget: budget).first else {
            throw SQLError(.internalError, "a query has no statement")
        }
        let made = try plan(parsed.statement, snapshot)
        guard let shelf, made.isReusable, let query = made.planned.query else { return made.planned }
        let kept = made.planned.kept(warehouse.shapes.shape(template.text))
        var content = CachedStatement.Content(
            prepared: PreparedStatement(text: sql, parsed: parsed, columns: query.columns), planned: kept,
            servesAllValues: true, byteCount: budget.byteCount)
        if values.isEmpty {
            keep(content, sql, [], shelf)
        } else if let general = try generalPlan(query, template, types, shelf) {
            keep(general, template.text, types, shelf)
        } else {
            keep(content, sql, [], shelf)
            // Kept without a plan: it tells that the values matter.
            content.prepared = nil
            content.servesAllValues = false
            keep(content, template.text, types, shelf)
        }
        return kept
    }

    private func use(_ planned: PlannedStatement) -> PlannedStatement {
        hasBeenParsed = true
        return planned
    }

    /// One plan for all values of a text's literals, where the query's shape allows that.
    private func generalPlan(
        _ own: PhysicalQuery, _ template: StatementTemplate, _ types: [SQLType], _ shelf: Shelf
    ) throws -> CachedStatement.Content? {
        guard ParameterSubstitution.supports(own) else { return nil }
        let before = budget.mark
        defer { budget.restore(before) }
        do {
            guard let parsed = try Parser.parse(template.text, options: session.settings.syntax, budget: budget).first,
                let general = try describedPlan(parsed, template.text, types, shelf), general.servesAllValues
            else { return nil }
            return general
        } catch let error as SQLError where !budget.isSpent && error.state != .queryCanceled {
            // Something takes a literal and no parameter: a plan for each text, then.
            return nil
        }
    }

    // MARK: Prepared statements

    /// The kept plan of a prepared query; nil: its values need one of their own.
    func keptPlan(
        _ prepared: PreparedStatement, _ parsed: ParsedStatement, _ values: [StatementParameter],
        _ snapshot: StoreSnapshot
    ) throws -> PlannedStatement? {
        guard prepared.isReusable, prepared.text.utf8.count <= PlanCache.largestText, let shelf = shelf(snapshot)
        else { return nil }
        return try kept(prepared, parsed, shelf)?.planned(with: values).map(use)
    }

    private func kept(
        _ prepared: PreparedStatement, _ parsed: ParsedStatement, _ shelf: Shelf
    ) throws -> CachedStatement? {
        if let current = prepared.slot.current, current.epoch == shelf.epoch,
            current.key.settings == session.settings.planningKey,
            current.key.temporaryOwner == shelf.temporaryOwner,
            current.key.database == shelf.snapshot.catalog.databaseID, current.key.connection == session.database,
            current.key.user == PlanKey.everyone || current.key.user == session.effectiveUser, isMine(current, shelf)
        {
            return current
        }
        let known = find(prepared.text, prepared.givenTypes, shelf)
        if known == nil, let made = try describedPlan(parsed, prepared.text, prepared.givenTypes, shelf) {
            keep(made, prepared.text, prepared.givenTypes, shelf)
        }
        let found = known ?? find(prepared.text, prepared.givenTypes, shelf)
        prepared.slot.current = found
        return found
    }

    /// Describes a query with parameters, and plans it where one plan does for all of their values.
    private func describedPlan(
        _ parsed: ParsedStatement, _ text: String, _ givenTypes: [SQLType], _ shelf: Shelf
    ) throws -> CachedStatement.Content? {
        guard case .query = parsed.statement else { return nil }
        let start = budget.byteCount
        var types = givenTypes
        let count = max(parsed.parameterCount, types.count)
        if count > types.count || types.contains(.unknown) {
            let described = try binder(shelf.snapshot, parameterTypes: types).bind(parsed.statement)
            if !described.isReusable { return nil }
            types = described.parameterTypes(count: count)
        }
        let ids = ColumnIDSource()
        let binding = try binder(shelf.snapshot, parameterTypes: types).bind(parsed.statement, ids: ids)
        guard binding.isReusable, case .query(let query) = binding.statement else { return nil }
        let plan = try Planner(self, shelf.snapshot, ids).plan(query)
        let planned = PlannedStatement(
            QueryProgram(plan: plan), access: ReadAccess(binding.access, binding.statement), scanned: binding.scanned)
        return CachedStatement.Content(
            prepared: PreparedStatement(
                text: text, parsed: parsed, givenTypes: givenTypes, parameterTypes: types, columns: plan.columns,
                isReusable: true),
            planned: planned.kept(warehouse.shapes.shape(text)),
            servesAllValues: count == 0 || ParameterSubstitution.isComplete(plan, count: count),
            byteCount: budget.byteCount - start)
    }

    /// A statement that was prepared from this text before, in any session.
    func keptDescription(_ sql: String, parameterTypes: [SQLType]) throws -> PreparedStatement? {
        guard let shelf = shelf(try session.currentSnapshot) else { return nil }
        return find(sql, parameterTypes, shelf)?.prepared
    }
}

extension PhysicalQuery {
    var columns: [ResultColumn] { outputs.map { ResultColumn($0) } }
}

extension StatementParameter {
    /// Typed as the binder types a literal.
    fileprivate init(literal value: Int64) {
        let isSmall = value >= Int64(Int32.min) && value <= Int64(Int32.max)
        self.init(type: isSmall ? .integer : .bigint, value: .integer(Int128(value)))
    }
}
