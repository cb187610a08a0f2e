import Binder
import Catalog
import ColumnStore
import Optimizer
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

/// Statements that were planned before run without parser, binder and optimizer.
extension Session {
    /// Where cached statements may be looked up and kept: nil in blocks with changes of their own, whose state nobody
    /// else sees, in failed ones, and in serializable ones; and for users who are no superusers, whose statements are
    /// checked while they are bound.
    private struct Place {
        var snapshot: StoreSnapshot
        var epoch: UInt64
        var temporaryOwner: Int
        /// A superuser.
        var user: UserDefinition
    }

    private var place: Place? {
        if settings.execution.disabled.contains(.planCache) { return nil }
        if let transaction, transaction.hasFailed || transaction.hasChanges { return nil }
        // Those say what they read before they take their snapshot.
        let isolation = transaction?.isolation ?? defaultTransactionModes.isolation
        if isolation == .serializable { return nil }
        let accounts = warehouse.store.snapshot().catalog.accounts
        let account = accounts.users[effectiveUser]
        guard let account, account.isSuperuser, accounts.users[authenticatedUser] != nil else { return nil }
        let snapshot = currentSnapshot
        let hasTemporary = snapshot.catalog.schemas[temporarySchema] != nil
        return Place(
            snapshot: snapshot, epoch: warehouse.plans.epoch(snapshot.version),
            temporaryOwner: hasTemporary ? number : 0, user: account)
    }

    private func key(_ text: String, _ types: [SQLType], _ place: Place) -> PlanKey {
        PlanKey(
            text: text, parameterTypes: types, user: place.user.id, userName: place.user.name,
            settings: settings.planningKey, temporaryOwner: place.temporaryOwner)
    }

    // MARK: Texts

    /// Runs a text that is one query, if it can be done with a cached plan or one that is worth caching. False: nothing
    /// was done.
    func runFromCache(_ sql: String, _ handler: any ResultHandler) throws -> Bool {
        guard let template = StatementTemplate(sql), let place else { return false }
        let values = template.literals.map(StatementParameter.init(literal:))
        let key = key(template.text, values.map(\.type), place)
        var known = warehouse.plans.find(key, epoch: place.epoch)
        if let known, let plan = known.plan(with: values) {
            try runCached(plan, known.scanned, place.snapshot, source: sql.slice(template.byteRange), handler)
            return true
        }
        // The values matter: each text has its own plan.
        let ownKey = values.isEmpty ? key : self.key(sql, [], place)
        if !values.isEmpty, known != nil {
            known = warehouse.plans.find(ownKey, epoch: place.epoch)
        }
        guard let made = try? known ?? plan(sql, template, ownKey, key, place), let plan = made.plan
        else {
            return false
        }
        try runCached(plan, made.scanned, place.snapshot, source: sql.slice(template.byteRange), handler)
        return true
    }

    /// Plans a text as it is and, when its shape allows that, once for all values of its literals.
    private func plan(
        _ sql: String, _ template: StatementTemplate, _ ownKey: PlanKey, _ templateKey: PlanKey,
        _ place: Place
    ) throws -> CachedStatement? {
        guard let made = try limited({ try makeCached(try Parser.parse(sql, budget: $0).first, ownKey, place) }) else {
            return nil
        }
        guard !template.literals.isEmpty else {
            warehouse.plans.put(made)
            return made
        }
        let isSimple = made.plan.map { ParameterSubstitution.supports($0) } ?? false
        let general =
            isSimple ? try? makeCached(try Parser.parse(template.text).first, templateKey, place) : nil
        // Kept even without a plan: it tells that the values matter.
        let marker =
            general
            ?? CachedStatement(
                key: templateKey, epoch: place.epoch, prepared: made.prepared, plan: nil)
        warehouse.plans.put(marker)
        if marker.plan == nil { warehouse.plans.put(made) }
        return made
    }

    /// nil for what is no query, and for queries whose meaning changes with time.
    private func makeCached(
        _ parsed: ParsedStatement?, _ key: PlanKey, _ place: Place
    ) throws -> CachedStatement? {
        try limited { try makeCached(parsed, key, place, $0) }
    }

    private func makeCached(
        _ parsed: ParsedStatement?, _ key: PlanKey, _ place: Place, _ budget: PlanningBudget
    ) throws -> CachedStatement? {
        guard let parsed, case .query = parsed.statement else { return nil }
        budget.restore(.start)
        var described: PreparedStatement?
        if parsed.parameterCount > 0 || !key.parameterTypes.isEmpty {
            described = try describe(parsed, text: key.text, parameterTypes: key.parameterTypes)
            if described?.isReusable == false { return nil }
        }
        let execution = StatementExecution(
            session: self, queryID: 0, text: key.text, budget: budget, handler: QueryResult())
        defer { execution.endOwnTransaction() }
        let ids = ColumnIDSource()
        let bound = try execution.binder(
            place.snapshot, parameterTypes: described?.parameterTypes ?? []
        )
        .bindForReuse(parsed.statement, ids: ids)
        guard bound.isReusable, case .query(let query) = bound.statement else { return nil }
        var plan: PhysicalQuery? = try execution.optimizer(place.snapshot).optimize(query, ids: ids)
        if let plan { execution.notePredicates(plan, place.snapshot) }
        let count = described?.parameterTypes.count ?? 0
        if count > 0, let made = plan, !ParameterSubstitution.isComplete(made, count: count) {
            plan = nil
        }
        let prepared =
            described
            ?? PreparedStatement(
                text: key.text, parsed: parsed, givenTypes: [], parameterTypes: [],
                columns: query.outputs.map { ResultColumn(name: $0.name, type: $0.type) }, isReusable: true)
        return CachedStatement(
            key: key, epoch: place.epoch, prepared: prepared, plan: plan, scanned: bound.scanned,
            byteCount: budget.byteCount)
    }

    // MARK: Prepared statements

    /// A statement that was prepared from this text before, in any session.
    func preparedFromCache(_ sql: String, parameterTypes: [SQLType]) -> PreparedStatement? {
        guard let place else { return nil }
        let key = key(sql, parameterTypes, place)
        return warehouse.plans.find(key, epoch: place.epoch)?.prepared
    }

    /// Runs a prepared query with its cached plan. False: nothing was done.
    func runFromCache(
        _ prepared: PreparedStatement, _ parameters: [StatementParameter], _ handler: any ResultHandler
    ) throws -> Bool {
        guard let parsed = prepared.parsed, prepared.isReusable, let place,
            prepared.text.utf8.count <= PlanCache.largestText
        else { return false }
        guard let cached = cached(prepared, parsed, place), let plan = cached.plan(with: parameters)
        else {
            return false
        }
        try runCached(plan, cached.scanned, place.snapshot, source: prepared.text.slice(parsed.byteRange), handler)
        return true
    }

    private func cached(
        _ prepared: PreparedStatement, _ parsed: ParsedStatement, _ place: Place
    ) -> CachedStatement? {
        if let current = prepared.slot.current, current.epoch == place.epoch,
            current.key.settings == settings.planningKey, current.key.user == place.user.id,
            current.key.userName == place.user.name, current.key.temporaryOwner == place.temporaryOwner
        {
            return current
        }
        let key = key(prepared.text, prepared.givenTypes, place)
        if let known = warehouse.plans.find(key, epoch: place.epoch) {
            prepared.slot.current = known
            return known
        }
        // An error will come again, with all that belongs to it, when the statement runs on the long way.
        guard let made = try? makeCached(parsed, key, place) else { return nil }
        warehouse.plans.put(made)
        prepared.slot.current = made
        return made
    }

    // MARK: Running

    private func runCached(
        _ plan: PhysicalQuery, _ scanned: Set<ObjectID>, _ snapshot: StoreSnapshot, source: String,
        _ handler: any ResultHandler
    ) throws {
        try perform(source: source, handler) { execution in try execution.runPlanned(plan, scanned, snapshot) }
    }
}

extension StatementExecution {
    /// Runs a finished plan in the session's transaction, or in one of its own.
    fileprivate func runPlanned(
        _ plan: PhysicalQuery, _ scanned: Set<ObjectID>, _ snapshot: StoreSnapshot
    ) throws {
        let transaction = self.transaction
        do {
            if transaction.isExplicit {
                transaction.settle(snapshot)
                try warehouse.transactions.note(
                    transaction, snapshot, reads: scanned, writes: [], session: session.number)
            }
            try run(plan, snapshot)
        } catch {
            session.end(transaction, failed: true)
            throw error
        }
        session.end(transaction, failed: false)
    }
}

extension StatementParameter {
    /// Typed as the binder types a literal.
    fileprivate init(literal value: Int64) {
        let isSmall = value >= Int64(Int32.min) && value <= Int64(Int32.max)
        self.init(type: isSmall ? .integer : .bigint, value: .integer(Int128(value)))
    }
}

extension String {
    /// The text of these bytes.
    fileprivate func slice(_ bytes: Range<Int>) -> String {
        if bytes == 0..<utf8.count { return self }
        let start = utf8.index(utf8.startIndex, offsetBy: bytes.lowerBound)
        return String(self[start..<utf8.index(utf8.startIndex, offsetBy: bytes.upperBound)])
    }
}
