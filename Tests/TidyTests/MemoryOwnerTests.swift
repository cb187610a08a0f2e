import Testing

/// A local owner of raw memory may be released after its last use, while pointers into its memory are still read: another
/// worker can have the region by then. So the engine's local owners are kept to the end of their scope.
@Suite struct MemoryOwnerTests {
    private static var declaration: Regex<(Substring, Substring, Substring)> {
        #/^\s*let (\w+) = try (OwnedRegion|TableMemory|KeyBitmap|BloomFilter)\(/#
    }

    static func faults(_ code: [String]) -> [Int] {
        code.indices.filter { index in
            guard let match = code[index].firstMatch(of: declaration) else { return false }
            let wanted = "defer { withExtendedLifetime(\(match.1)) {} }"
            // The call may go on over some lines.
            return !code[index...].prefix(6).contains { $0.contains(wanted) }
        }
    }

    @Test func localOwnersLiveToTheEndOfTheirScope() throws {
        for file in try SourceFile.all(below: "Sources") where file.target == "VectorEngine" {
            for index in Self.faults(file.code) {
                Issue.record("\(file.path):\(index + 1): keep the owner: defer { withExtendedLifetime(name) {} }")
            }
        }
    }

    @Test func theRuleFindsWhatItShould() {
        #expect(
            Self.faults(["    let memory = try TableMemory(context, bytes: 8)", "    use(memory.values(Int.self))"])
                == [0])
        #expect(
            Self.faults(["let a = try OwnedRegion(bytes: 8)", "defer { withExtendedLifetime(a) {} }"]) == [])
    }
}
