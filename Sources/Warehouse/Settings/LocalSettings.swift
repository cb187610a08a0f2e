import Platform
import SQLTypes

/// SET, and SET LOCAL, whose values last as long as their transaction.
extension Session {
    /// - Parameter value: nil for DEFAULT.
    func setParameter(_ name: String, _ value: String?, isLocal: Bool) throws {
        if SystemParameter(name: name) != nil {
            throw SQLError(
                "55P02", "parameter \"\(name)\" cannot be changed for a session",
                hint: "A superuser changes it for the warehouse with ALTER SYSTEM SET.")
        }
        let before = settings
        if let value {
            if name.lowercased() == "timezone" && ZoneRules.named(value) == nil {
                throw SQLError(.invalidParameterValue, "unrecognized time zone name: \"\(value)\"")
            }
            try settings.set(name, value)
        } else {
            try settings.reset(name)
        }
        if name.lowercased() == "seed" { plant(value) }
        guard isLocal else {
            outerSettings?.take(name, from: settings)
            return
        }
        // Without a block the value would last for this statement only.
        if transaction?.isExplicit ?? false {
            if outerSettings == nil { outerSettings = before }
        } else {
            settings = before
        }
    }

    /// SET SEED: RANDOM draws the same numbers again, in the order in which rows ask.
    private func plant(_ value: String?) {
        seededRandom = value.flatMap { Double($0) }.map { SharedRandom(SeededRandom(seed: $0.bitPattern)) }
    }

    /// The transaction is over: what SET LOCAL has changed in it is as it was.
    func endLocalSettings() {
        guard let outer = outerSettings else { return }
        settings = outer
        outerSettings = nil
    }
}
