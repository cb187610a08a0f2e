import ColumnVectors

/// The merged ordered dictionary of one string column over all parts of a table snapshot.
public final class UnifiedDictionary: Sendable {
    public let dictionary: TextDictionary
    init(dictionary: TextDictionary) { self.dictionary = dictionary }
    /// Part code -> unified code; nil when the part's dictionary is the unified one.
    public func remap(part: Part) -> UnsafePointer<UInt16>? { nil }
}
