import QueryPlan
import SQLSyntax
import SQLTypes

/// The groups of a SELECT.
final class Grouping {
    var groups: [ProjectedColumn]
    /// Indexes into `groups`; nil for a plain GROUP BY.
    var sets: [[Int]]?
    private let mask: ColumnID
    private var isMaskUsed = false

    init(groups: [ProjectedColumn], sets: [[Int]]?, mask: ColumnID) {
        self.groups = groups
        self.sets = sets
        self.mask = mask
    }

    /// The bit mask that GROUPING() reads; bit i is set when `groups[i]` is not in the row's set.
    func useMask() -> ColumnID {
        isMaskUsed = true
        return mask
    }
    var usedMask: ColumnID? { isMaskUsed ? mask : nil }
}

/// GROUP BY: ordinals, aliases, expressions, ROLLUP, CUBE and GROUPING SETS.
struct GroupingBinder {
    let select: SelectBinder

    init(_ select: SelectBinder) { self.select = select }

    private var session: BindingSession { select.session }

    func bind(_ clause: GroupByClause?) throws -> Grouping? {
        switch clause {
        case nil: return nil
        case .all: return try bindAll()
        case .elements(let elements): return try bind(elements)
        }
    }

    private func bind(_ elements: [GroupingElement]) throws -> Grouping {
        var expressions: [BoundExpression] = []
        var sets: [[Int]] = [[]]
        var isPlain = true
        for element in elements {
            if case .expression(let expression) = element {
                let indexes = try add(expression, to: &expressions)
                for index in sets.indices { sets[index] += indexes }
                continue
            }
            isPlain = false
            let alternatives = try self.sets(of: element, &expressions)
            try Self.checkCount(sets.count * alternatives.count)
            sets = sets.flatMap { left in alternatives.map { left + $0 } }
        }
        if isPlain { return grouping(expressions, sets: nil) }
        guard expressions.count <= BinderLimits.groupingColumns else {
            throw SQLError(
                .limitExceeded, "GROUPING SETS can have at most \(BinderLimits.groupingColumns) columns")
        }
        return grouping(expressions, sets: sets.map { Array(Set($0)).sorted() })
    }

    private static func checkCount(_ count: Int) throws {
        guard count <= BinderLimits.groupingSets else {
            throw SQLError(.limitExceeded, "too many grouping sets present (maximum \(BinderLimits.groupingSets))")
        }
    }

    /// A plain column keeps its id as long as its value stays the same; grouping sets make some of its values NULL. An
    /// outer one is the enclosing query's: here it gets another.
    private func grouping(_ expressions: [BoundExpression], sets: [[Int]]?) -> Grouping {
        let groups = expressions.map { expression in
            if sets == nil, case .column(let id, _) = expression, !select.scope.isOuter(id) {
                return ProjectedColumn(id: id, expression: expression)
            }
            let id = session.makeColumn()
            Collations(session).note(id, like: expression)
            return ProjectedColumn(id: id, expression: expression)
        }
        return Grouping(groups: groups, sets: sets, mask: session.makeColumn())
    }

    private func sets(of element: GroupingElement, _ expressions: inout [BoundExpression]) throws -> [[Int]] {
        switch element {
        case .expression(let expression):
            return [try add(expression, to: &expressions)]
        case .set(let members):
            return [try members.flatMap { try add($0, to: &expressions) }]
        case .rollup(let members):
            let parts = try members.map { try add($0, to: &expressions) }
            return (0...parts.count).reversed().map { Array(parts[..<$0].joined()) }
        case .cube(let members):
            guard members.count <= 12 else {
                throw SQLError(.limitExceeded, "CUBE is limited to 12 elements")
            }
            let parts = try members.map { try add($0, to: &expressions) }
            return (0..<(1 << parts.count)).reversed().map { mask in
                parts.indices.filter { mask & (1 << (parts.count - 1 - $0)) != 0 }.flatMap { parts[$0] }
            }
        case .groupingSets(let members):
            var result: [[Int]] = []
            for member in members {
                result += try sets(of: member, &expressions)
                try Self.checkCount(result.count)
            }
            return result
        }
    }

    /// Binds one GROUP BY entry (a composite one: its parts) and gives the indexes of its columns.
    private func add(_ expression: Expression, to list: inout [BoundExpression]) throws -> [Int] {
        if case .row(let row) = expression { return try row.elements.flatMap { try add($0, to: &list) } }
        let bound = try bindEntry(expression)
        if bound.containsSubquery { for text in texts(of: expression) { select.scope.groupedEntries[text] = bound } }
        let key = try key(of: bound)
        if let index = list.firstIndex(of: key) { return [index] }
        list.append(key)
        return [list.count - 1]
    }

    /// What the rows are grouped by.
    private func key(of entry: BoundExpression) throws -> BoundExpression {
        let key = try Collations(session).key(entry)
        if key != entry { select.computed.foldedGroups[entry] = key }
        return key
    }

    /// The entry, and the item of the select list that it names by number or alias.
    private func texts(of entry: Expression) -> [Expression] {
        var texts = [entry]
        for (index, item) in select.body.items.enumerated() {
            guard case .expression(let expression, let alias) = item else { continue }
            if entry.ordinal == Int64(index + 1) { texts.append(expression) }
            if case .name(let name) = entry, let alias, name.parts.map(\.text) == [alias.text] {
                texts.append(expression)
            }
        }
        return texts.filter { $0.ordinal == nil }
    }

    private func bindEntry(_ expression: Expression) throws -> BoundExpression {
        let binder = select.binder(.groupBy)
        if let ordinal = expression.ordinal {
            return try bindOrdinal(ordinal, expression.position, binder)
        }
        return try Coercion(session).resolved(try binder.bind(expression))
    }

    private func bindOrdinal(
        _ ordinal: Int64, _ position: SourcePosition, _ binder: ExpressionBinder
    ) throws -> BoundExpression {
        // Ordinals count expanded items; with a wildcard before them the columns of FROM count, too.
        var entries: [Expression?] = []
        var columns: [ScopeColumn?] = []
        for item in select.body.items {
            switch item {
            case .expression(let expression, _):
                entries.append(expression)
                columns.append(nil)
            case .wildcard(let qualifier, _):
                for column in wildcardColumns(qualifier) {
                    entries.append(nil)
                    columns.append(column)
                }
            }
        }
        let index = try OrdinalLookup.output(
            ordinal, of: Array(entries.indices), clause: "GROUP BY", at: position)
        if let column = columns[index] { return .column(column.id, column.type) }
        guard let expression = entries[index] else { return .constant(.null, .unknown) }
        return try Coercion(session).resolved(try binder.bind(expression))
    }

    private func wildcardColumns(_ qualifier: ObjectName?) -> [ScopeColumn] {
        guard let qualifier else { return select.scope.visible.map(\.column) }
        return ColumnLookup.relations(named: qualifier.parts[...], in: select.scope).first?.columns ?? []
    }

    /// GROUP BY ALL: every item that computes no aggregate.
    private func bindAll() throws -> Grouping {
        var list: [BoundExpression] = []
        for item in select.body.items {
            switch item {
            case .wildcard(let qualifier, _):
                list += try wildcardColumns(qualifier).map { try key(of: .column($0.id, $0.type)) }
            case .expression(let expression, _):
                if AggregateSearch.contains(expression) { continue }
                let bound = try key(of: try Coercion(session).resolved(try select.binder(.groupBy).bind(expression)))
                if !list.contains(bound) { list.append(bound) }
            }
        }
        return grouping(list, sets: nil)
    }
}
