/// The newest of many: at least so many are kept, and cut when there are twice as many, so that the cost is small for
/// each.
public struct RecentList<Element: Sendable>: Sendable {
    public private(set) var elements: [Element] = []
    private let kept: Int

    public init(keeping kept: Int) { self.kept = max(kept, 1) }

    public mutating func append(_ element: Element) {
        elements.append(element)
        if elements.count > 2 * kept { elements.removeFirst(elements.count - kept) }
    }
}
