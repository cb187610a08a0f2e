/// What a COPY did.
package struct CopyResult: Sendable {
    package struct File: Sendable, Hashable {
        package var name: String
        package var sizeBytes: Int64
        /// Records found, bad ones included.
        package var rowsScanned: Int
        package var errors: Int
    }
    package var rowsLoaded = 0
    package var rowsScanned = 0
    /// Rows that were skipped; ``errors`` holds at most ``CopyOptions/maximumErrors`` of them.
    package var errorCount = 0
    /// By file and line.
    package var errors: [LoadError] = []
    package var files: [File] = []
    package var bytesRead: Int64 = 0
    package var seconds = 0.0
}
