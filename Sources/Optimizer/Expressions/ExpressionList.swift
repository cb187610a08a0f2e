import QueryPlan

/// Expressions in their order, each once. Short lists are searched one by one, long ones by hash, so that 100,000 terms
/// take linear time. Volatile expressions are never equal, very large ones are not compared.
struct ExpressionList {
    private(set) var items: [BoundExpression] = []
    private var known: Set<BoundExpression> = []
    private static let searchedCount = 12
    /// Hashing an expression again on each level that holds it must stay cheap.
    private static let comparedNodes = 256

    /// - Parameter capacity: items that are expected; growing a set hashes all it has again.
    init(capacity: Int = 0) {
        guard capacity > Self.searchedCount else { return }
        items.reserveCapacity(capacity)
        known.reserveCapacity(capacity)
    }

    init(_ items: some Sequence<BoundExpression>) {
        for item in items { append(item) }
    }

    /// Whether it was added.
    @discardableResult
    mutating func append(_ item: BoundExpression) -> Bool {
        if !item.isVolatile && contains(item) { return false }
        items.append(item)
        if items.count > Self.searchedCount { index() }
        return true
    }

    func contains(_ item: BoundExpression) -> Bool {
        if items.count <= Self.searchedCount { return items.contains(item) }
        return Self.isCompared(item) && known.contains(item)
    }

    private mutating func index() {
        if items.count == Self.searchedCount + 1 {
            known.formUnion(items.lazy.filter(Self.isCompared))
        } else if let item = items.last, Self.isCompared(item) {
            known.insert(item)
        }
    }

    private static func isCompared(_ item: BoundExpression) -> Bool { item.size(upTo: comparedNodes) < comparedNodes }
}
