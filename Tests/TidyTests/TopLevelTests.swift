import Foundation
import Testing

/// What stands at the project's top. Warehouses and logs of a trial have once been committed from there.
struct TopLevelTests {
    private static let allowed: Set<String> = [
        "Package.swift", "Sources", "Tests", "Examples", "benchmarks", "datasets", "docs", "scripts",
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    ]

    @Test func onlyWhatBelongsIsCommitted() throws {
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.currentDirectoryURL = SourceFile.root
        git.arguments = ["git", "-c", "safe.directory=*", "ls-files"]
        let pipe = Pipe()
        git.standardOutput = pipe
        git.standardError = FileHandle.nullDevice
        try git.run()
        let listing = pipe.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        // A source archive has no index.
        guard git.terminationStatus == 0 else { return }
        let tops = Set(String(decoding: listing, as: UTF8.self).split(separator: "\n").map { $0.prefix { $0 != "/" } })
        #expect(tops.contains("Package.swift"))
        let strange = tops.map(String.init).filter { !$0.hasPrefix(".") && !Self.allowed.contains($0) }
        #expect(strange.isEmpty, "these do not belong at the top: \(strange.sorted())")
    }
}
