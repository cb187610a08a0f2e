import SQLTypes

/// Files of one UNLOAD at their place: written aside, and there for others only when all of them are. The seam between
/// writing and the places that data goes to. Safe from any thread until ``publish(_:replacing:)``.
package protocol OutputFileSet: AnyObject, Sendable {
    /// The full name of a file, as system tables and manifests show it.
    func shown(_ name: String) -> String
    /// From now on names follow a slash: the location is a folder.
    func useFolder()
    /// Throws when something is already there.
    func checkEmpty() throws
    /// - Parameters:
    ///   - name: what follows the location's text; may have folders.
    ///   - notes: what readers find beside the file.
    func create(_ name: String, notes: ObjectNotes?) throws -> any OutputObject
    /// A file of rows: where files are encrypted, it is.
    func createRows(_ name: String) throws -> any OutputObject
    /// What a file of rows of so many bytes has at its place.
    func storedBytes(_ rowBytes: Int64) -> Int64
    /// Makes all files visible, or none; the one named last comes last.
    ///
    /// - Returns: names of what was to be removed and is still there.
    func publish(last: String?, replacing: OutputReplacement) throws -> [String]
    /// Removes whatever was written and is not published. After a success there is nothing to do.
    func abandon()
}

extension OutputFileSet {
    package func create(_ name: String) throws -> any OutputObject { try create(name, notes: nil) }
    package func createRows(_ name: String) throws -> any OutputObject { try create(name, notes: nil) }
    package func storedBytes(_ rowBytes: Int64) -> Int64 { rowBytes }
}

/// What becomes of files that were there before.
package enum OutputReplacement: Sendable, Hashable {
    /// One of a name that is to be written is an error.
    case none
    /// They make way.
    case overwrite
    /// All of the location make way: those whose names begin with it, or all in the folders that get files.
    case clean(isPartitioned: Bool)

    /// In Redshift's words.
    static func occupied(_ name: String) -> SQLError {
        SQLError(
            .internalError,
            "Specified unload destination on S3 is not empty. Consider using a different bucket / prefix, manually "
                + "removing the target files in S3, or using the ALLOWOVERWRITE option.",
            detail: "\"\(name)\" exists.")
    }
}

/// A file that is being written. Confined to one thread at a time.
package protocol OutputObject: AnyObject {
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// Gives descriptors back; the next append takes them again.
    func rest()
    /// No more bytes come.
    func close() throws
}
