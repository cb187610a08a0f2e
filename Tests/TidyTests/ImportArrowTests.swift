import Foundation
import Testing

/// Who may import whom. The table is that of docs/design/0001-targets-and-arrows.md; a target may also import what its
/// imports import.
struct ImportArrowTests {
    private static let arrows: [String: [String]] = [
        "Platform": ["CIntrinsics", "CSignals", "COpenSSL"],
        "SQLTypes": ["Platform"],
        "ColumnVectors": ["SQLTypes"],
        "SQLSyntax": ["SQLTypes"],
        "Catalog": ["SQLTypes"],
        "QueryPlan": ["Catalog"],
        "Binder": ["QueryPlan", "SQLSyntax"],
        "Optimizer": ["QueryPlan"],
        "ColumnStore": ["ColumnVectors", "Catalog", "CIntrinsics", "CZstd", "CSnappy"],
        "VectorEngine": ["ColumnVectors", "QueryPlan", "ColumnStore", "CIntrinsics"],
        "Cluster": ["VectorEngine"],
        "BulkTransfer": [
            "ColumnVectors", "ColumnStore", "Catalog", "CIntrinsics", "CZstd", "CZlib", "CBzip2", "CSnappy",
            "CCurl",
        ],
        "Workload": ["Platform"],
        "Warehouse": ["Workload", "BulkTransfer", "Cluster", "Optimizer", "Binder", "SQLSyntax"],
        "PGWire": ["Warehouse", "COpenSSL"],
        "Redbarn": ["Warehouse"],
        "RedbarnCommand": ["PGWire", "Warehouse", "CEdit", "CTerminal", "ArgumentParser"],
        "TestSupport": ["Warehouse", "Foundation"],
        "RedbarnSLT": ["TestSupport", "ArgumentParser", "Foundation"],
    ]
    /// Modules of the toolchain that all may use.
    private static let toolchain: Set<String> = ["Swift", "Glibc", "Synchronization", "Builtin"]
    /// Only these commands may name the argument parser.
    private static let commands: Set<String> = ["RedbarnCommand", "RedbarnSLT"]

    private func reachable(from target: String) -> Set<String> {
        var reached: Set<String> = []
        var open = ImportArrowTests.arrows[target] ?? []
        while let next = open.popLast() {
            if reached.insert(next).inserted { open += ImportArrowTests.arrows[next] ?? [] }
        }
        return reached
    }

    private func importedModule(_ line: String) -> String? {
        guard line.contains("import") else { return nil }
        var words = line.split(separator: " ").map(String.init)
        let modifiers = ["public", "package", "internal", "private", "fileprivate"]
        while let first = words.first, first.hasPrefix("@") || modifiers.contains(first) { words.removeFirst() }
        guard words.count >= 2, words[0] == "import" else { return nil }
        let kinds = ["struct", "enum", "func", "class", "protocol", "typealias", "let", "var"]
        let name = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
        return name.split(separator: ".").first.map(String.init)
    }

    @Test func importsFollowTheArrows() throws {
        var problems: [String] = []
        for file in try SourceFile.all(below: "Sources") {
            guard ImportArrowTests.arrows[file.target] != nil else {
                if problems.last?.hasSuffix("target \(file.target) is not in the table") == true { continue }
                problems.append("\(file.path): target \(file.target) is not in the table")
                continue
            }
            let allowed = reachable(from: file.target).union(ImportArrowTests.toolchain)
            for (number, line) in file.code.enumerated() {
                guard let module = importedModule(line), !allowed.contains(module) else { continue }
                problems.append("\(file.path):\(number + 1): import \(module)")
            }
        }
        if problems.isEmpty { return }
        Issue.record("\(problems.count) imports against the arrows:\n\(problems.prefix(40).joined(separator: "\n"))")
    }

    /// What the manifest says that each test target depends on. A module that is not among it may still be found when
    /// another target happened to build first: a fault that shows itself on fresh machines only.
    private func testDependencies() throws -> [String: [String]] {
        let manifest = try String(contentsOf: SourceFile.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let target = /\.testTarget\(\s*name: "(?<name>\w+)"(,\s*dependencies: \[(?<modules>[^\]]*)\])?/
        return manifest.matches(of: target).reduce(into: [:]) { table, match in
            let modules = match.modules?.matches(of: /\w+/).map { String($0.output) }
            table[String(match.name)] = modules ?? []
        }
    }

    @Test func testsImportWhatTheirManifestNames() throws {
        let table = try testDependencies()
        let toolchain = ImportArrowTests.toolchain.union(["Foundation", "Testing"])
        var problems: [String] = []
        for file in try SourceFile.all(below: "Tests") {
            guard let direct = table[file.target] else {
                problems.append("\(file.path): \(file.target) is no test target")
                continue
            }
            let allowed = direct.reduce(into: toolchain.union(direct)) { $0.formUnion(reachable(from: $1)) }
            for (number, line) in file.code.enumerated() {
                guard let module = importedModule(line), !allowed.contains(module) else { continue }
                problems.append("\(file.path):\(number + 1): import \(module) is no dependency in Package.swift")
            }
        }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    /// A cycle would make the table meaningless.
    @Test func arrowsHaveNoCycle() {
        for target in ImportArrowTests.arrows.keys { #expect(!reachable(from: target).contains(target)) }
    }

    @Test func onlyCommandsParseArguments() {
        for (target, imports) in ImportArrowTests.arrows where imports.contains("ArgumentParser") {
            #expect(ImportArrowTests.commands.contains(target))
        }
    }
}
