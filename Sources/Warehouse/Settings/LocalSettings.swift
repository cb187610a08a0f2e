import Platform
import SQLTypes

/// What a session's parameters were before SET LOCAL changed some of them, and what they are for the session: they come
/// back at the end of the block.
struct OuterSettings {
    var settings: SessionSettings
    var seededRandom: SharedRandom?
}

/// SET, RESET, and SET LOCAL, whose values last as long as their transaction.
extension Session {
    /// - Parameter value: nil for DEFAULT.
    func setParameter(_ name: String, _ value: String?, isLocal: Bool) throws {
        if SystemParameter(name: name) != nil {
            throw SQLError(
                "55P02", "parameter \"\(name)\" cannot be changed for a session",
                hint: "A superuser changes it for the warehouse with ALTER SYSTEM SET.")
        }
        if let value, name.lowercased() == "timezone" && ZoneRules.named(value) == nil {
            throw SQLError(.invalidParameterValue, "unrecognized time zone name: \"\(value)\"")
        }
        let change = { (settings: inout SessionSettings) in
            if let value { try settings.set(name, value) } else { try settings.reset(name) }
        }
        let isSeed = name.lowercased() == "seed"
        guard isLocal else {
            try changeSettings(change)
            if isSeed { plant(value) }
            return
        }
        let before = OuterSettings(settings: settings, seededRandom: seededRandom)
        try change(&settings)
        // Without a block the value would last for this statement only.
        guard transaction?.isExplicit ?? false else {
            settings = before.settings
            return
        }
        if outerSettings == nil { outerSettings = before }
        if isSeed { seededRandom = Session.random(seed: value) }
    }

    /// Changes parameters for the session: the change stays when what SET LOCAL has changed comes back.
    func changeSettings(_ change: (inout SessionSettings) throws -> Void) rethrows {
        var changed = settings
        try change(&changed)
        if var outer = outerSettings {
            try change(&outer.settings)
            outerSettings = outer
        }
        settings = changed
    }

    /// RESET, and RESET ALL without a name.
    func resetParameter(_ name: String?) throws {
        try changeSettings { if let name { try $0.reset(name) } else { $0.resetAll() } }
        if name == nil || name?.lowercased() == "seed" { plant(nil) }
    }

    /// SET SEED: RANDOM draws the same numbers again, in the order in which rows ask.
    private func plant(_ value: String?) {
        seededRandom = Session.random(seed: value)
        outerSettings?.seededRandom = seededRandom
    }

    private static func random(seed value: String?) -> SharedRandom? {
        value.flatMap { Double($0) }.map { SharedRandom(SeededRandom(seed: $0.bitPattern)) }
    }

    /// The transaction is over: what SET LOCAL has changed in it is as it was.
    func endLocalSettings() {
        guard let outer = outerSettings else { return }
        settings = outer.settings
        seededRandom = outer.seededRandom
        outerSettings = nil
    }
}
