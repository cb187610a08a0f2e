/// Rewrites a script's expected results with what the queries returned, for a person to examine with a diff.
package enum TestScriptCompletion {
    /// The script's new text; nil when nothing changes.
    package static func rewrite(_ text: String, _ outcome: ScriptOutcome) -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let answers = outcome.answers.filter { $0.0.place != nil }
            .sorted { ($0.0.place?.lowerBound ?? 0) > ($1.0.place?.lowerBound ?? 0) }
        if answers.isEmpty { return nil }
        for (expectation, types, actual, header) in answers {
            guard let place = expectation.place else { continue }
            let hasRule = place.lowerBound > 0 && lines[place.lowerBound - 1] == "----"
            lines.replaceSubrange(place, with: (hasRule ? [] : ["----"]) + actual)
            var words = lines[header - 1].split(separator: " ").map(String.init)
            if words.count < 2 { words.append(types) } else { words[1] = types }
            lines[header - 1] = words.joined(separator: " ")
        }
        return lines.joined(separator: "\n")
    }
}
