/// What a COPY did.
public struct CopyResult: Sendable {
    public struct File: Sendable, Hashable {
        public var name: String
        public var sizeBytes: Int64
        /// Records found, bad ones included.
        public var rowsScanned: Int
        public var errors: Int
    }
    public var rowsLoaded = 0
    public var rowsScanned = 0
    /// Rows that were skipped; ``errors`` holds at most ``CopyOptions/maximumErrors`` of them.
    public var errorCount = 0
    /// By file and line.
    public var errors: [LoadError] = []
    public var files: [File] = []
    public var bytesRead: Int64 = 0
    public var seconds = 0.0
}
