import Platform
import SQLTypes

/// Where COPY finds its files. The seam between loading and the places that data comes from: the local disk now, object
/// stores later.
package protocol LoadSource: Sendable {
    /// The objects to load, in the order in which they are reported. Throws when there are none.
    func list() throws -> [LoadObject]
    func open(_ object: LoadObject) throws -> any LoadInput
    /// A small file that the statement names beside the data (JSONPaths), found by the rules of data files.
    func readCompanion(_ location: String, limit: Int) throws -> [UInt8]
    /// What a client that encrypts has noted beside an object; nil when nothing is there.
    func notes(of object: LoadObject) throws -> ObjectNotes?
    /// Some bytes without opening the object; fewer come only at its end.
    func read(_ object: LoadObject, at offset: Int64, _ count: Int) throws -> [UInt8]
}

extension LoadSource {
    package func readCompanion(_ location: String, limit: Int) throws -> [UInt8] {
        throw SQLError(.featureNotSupported, "COPY cannot read \"\(location)\" for this source")
    }

    package func notes(of object: LoadObject) throws -> ObjectNotes? { nil }

    /// All bytes of an object that the caller has found to be small.
    package func readAll(_ object: LoadObject) throws -> [UInt8] {
        try read(object, at: 0, Int(clamping: object.sizeBytes))
    }

    package func read(_ object: LoadObject, at offset: Int64, _ count: Int) throws -> [UInt8] {
        let input = try open(object)
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try input.read(into: $0, at: offset) }
        bytes.removeLast(bytes.count - read)
        return bytes
    }
}

package struct LoadObject: Sendable, Hashable {
    /// What error messages and system tables show.
    package var name: String
    package var sizeBytes: Int64
    /// False of what is read as it comes.
    package var isSizeKnown = true
    package init(name: String, sizeBytes: Int64, isSizeKnown: Bool = true) {
        self.name = name
        self.sizeBytes = sizeBytes
        self.isSizeKnown = isSizeKnown
    }
}

extension LoadObject {
    /// The name byte by byte: places keep files apart whose names are canonically equivalent texts.
    package struct Key: Sendable, Hashable {
        private let bytes: [UInt8]
        package init(_ name: String) { bytes = Array(name.utf8) }
    }
    package var key: Key { Key(name) }
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
