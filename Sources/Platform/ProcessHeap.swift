import CIntrinsics

/// The heap of the C library, from which everything comes that is no ``Region``: plans, catalogs, small buffers.
public enum ProcessHeap {
    public struct Usage: Sendable {
        public var usedBytes: Int
        /// Free, but still the process's.
        public var freeBytes: Int
    }

    public static func usage() -> Usage {
        var used = 0, free = 0
        rb_heap_bytes(&used, &free)
        return Usage(usedBytes: used, freeBytes: free)
    }

    /// For processes with little memory: an arena for each thread, and large pieces that stay in arenas when they are
    /// free, may hold several times what is in use.
    static func bound(arenas: Int) {
        rb_heap_bound(Int32(clamping: arenas), 256 << 10, 1 << 20)
    }

    /// For processes with much memory: what one statement frees is there for the next, which otherwise pays for
    /// hundreds of fresh pages. ``trim()`` gives it back when the figure is near.
    static func keepLargePieces() {
        rb_heap_bound(0, 32 << 20, 32 << 20)
    }

    static func trim() { rb_heap_trim() }
}
