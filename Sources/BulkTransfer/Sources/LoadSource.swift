import Platform

/// Where COPY finds its files. The seam between loading and the places that data comes from: the local disk now, object
/// stores later.
package protocol LoadSource: Sendable {
    /// The objects to load, in the order in which they are reported. Throws when there are none.
    func list() throws -> [LoadObject]
    func open(_ object: LoadObject) throws -> any LoadInput
}

package struct LoadObject: Sendable, Hashable {
    /// What error messages and system tables show.
    package var name: String
    package var sizeBytes: Int64
    package init(name: String, sizeBytes: Int64) {
        self.name = name
        self.sizeBytes = sizeBytes
    }
}

/// An open object: bytes at offsets, from any thread.
package protocol LoadInput: AnyObject, Sendable {
    /// Reads until the buffer is full or the object ends; the result says how many bytes came.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int
}

/// Which local paths COPY may read, and where relative ones begin.
package struct LocalPathPolicy: Sendable, Hashable {
    /// Paths must lie below one of these; nil allows all. Symbolic links are followed before the check.
    package var allowedRoots: [String]?
    /// Where relative paths begin; nil for the process's working directory.
    package var baseDirectory: String?
    package init(allowedRoots: [String]? = nil, baseDirectory: String? = nil) {
        self.allowedRoots = allowedRoots
        self.baseDirectory = baseDirectory
    }
}
