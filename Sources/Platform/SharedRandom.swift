/// A source of randomness that many threads draw from. Safe from any thread.
public final class SharedRandom: Sendable {
    private let source: Lock<any RandomSource>

    public init(_ source: any RandomSource = SystemRandom()) { self.source = Lock(source) }

    public func next() -> UInt64 { source.withLock { $0.next() } }

    public func bytes(_ count: Int) -> [UInt8] {
        source.withLock { source in
            (0..<count).map { _ in UInt8(truncatingIfNeeded: source.next() >> 32) }
        }
    }
}
