import Foundation

/// One Swift file of the project, with comments and string contents blanked out where rules are about code.
struct SourceFile {
    let path: String
    let target: String
    let lines: [String]
    /// The same lines with everything inside strings and comments replaced by blanks.
    let code: [String]

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    init(url: URL) throws {
        let text = try String(contentsOf: url, encoding: .utf8)
        path = String(url.path.dropFirst(SourceFile.root.path.count + 1))
        target = String(path.split(separator: "/")[1])
        lines = SourceFile.split(Array(text.utf8))
        code = SourceFile.split(SourceFile.blanked(Array(text.utf8)))
    }

    private static func split(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 10, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All Swift files below `Sources` or `Tests`.
    static func all(below folder: String) throws -> [SourceFile] {
        let start = root.appendingPathComponent(folder)
        guard let walk = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil) else { return [] }
        var files: [SourceFile] = []
        for case let url as URL in walk where url.pathExtension == "swift" { files.append(try SourceFile(url: url)) }
        return files.sorted { $0.path < $1.path }
    }

    private static func blanked(_ source: [UInt8]) -> [UInt8] {
        var result = source
        var at = 0
        func matches(_ text: StaticString, _ place: Int) -> Bool {
            guard place + text.utf8CodeUnitCount <= source.count else { return false }
            return (0..<text.utf8CodeUnitCount).allSatisfy { source[place + $0] == text.utf8Start[$0] }
        }
        /// Blanks up to a place, keeping line ends.
        func blank(to end: Int) {
            while at < min(end, source.count) {
                if source[at] != 10 { result[at] = 32 }
                at += 1
            }
        }
        func find(_ text: StaticString, from start: Int) -> Int {
            var place = start
            while place < source.count, !matches(text, place) {
                place += source[place] == UInt8(ascii: "\\") && text.utf8Start[0] == 34 ? 2 : 1
            }
            return min(place + text.utf8CodeUnitCount, source.count)
        }
        while at < source.count {
            if matches("//", at) {
                var end = at
                while end < source.count, source[end] != 10 { end += 1 }
                blank(to: end)
            } else if matches("/*", at) {
                blank(to: find("*/", from: at + 2))
            } else if matches("#\"\"\"", at) {
                blank(to: find("\"\"\"#", from: at + 4))
            } else if matches("#\"", at) {
                blank(to: find("\"#", from: at + 2))
            } else if matches("\"\"\"", at) {
                blank(to: find("\"\"\"", from: at + 3))
            } else if matches("\"", at) {
                blank(to: find("\"", from: at + 1))
            } else {
                at += 1
            }
        }
        return result
    }
}
