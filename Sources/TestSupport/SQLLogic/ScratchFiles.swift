import Foundation

/// The few file operations that running scripts needs.
package enum ScratchFiles {
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    package static func readText(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
    /// A new empty folder below `parent`.
    package static func makeFolder(in parent: String, name: String) throws -> String {
        let path = "\(parent)/\(name)-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Files of one extension below a path, or the path itself when it is a file; in order of their names.
    package static func list(_ path: String, extension wanted: String) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
        if !isFolder.boolValue { return [path] }
        guard let walker = FileManager.default.enumerator(atPath: path) else { return [] }
        return walker.compactMap { $0 as? String }.filter { ($0 as NSString).pathExtension == wanted }.sorted()
            .map { path + "/" + $0 }
    }
}
