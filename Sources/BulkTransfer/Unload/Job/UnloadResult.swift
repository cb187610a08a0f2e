/// What a successful UNLOAD has done.
package struct UnloadResult: Sendable, Hashable {
    /// With their full names.
    package var files: [UnloadedFile] = []
    /// Its full name.
    package var manifest: String?
    /// What was to make way and is still there, under hidden names.
    package var leftovers: [String] = []
    package var rows: Int { files.reduce(0) { $0 + $1.rows } }
}
