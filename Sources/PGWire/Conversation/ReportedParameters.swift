import Warehouse

/// The parameters that clients are told about, at the start and when they change.
struct ReportedParameters {
    /// Name on the wire and name of the setting.
    private static let settings = [
        ("DateStyle", "datestyle"), ("TimeZone", "timezone"), ("application_name", "application_name"),
        ("standard_conforming_strings", "standard_conforming_strings"), ("query_group", "query_group"),
        ("is_superuser", "is_superuser"), ("session_authorization", "session_authorization"),
    ]
    private var sent: [String: String] = [:]

    static func protocolVersion(of identity: ClientIdentity) -> ProtocolVersion? {
        ProtocolVersion.negotiated(identity.parameters["client_protocol_version"])
    }

    /// Everything that a server of Redshift's kind announces. `server_protocol_version` goes to clients that asked for
    /// one: others use PostgreSQL's own forms.
    static func fixed(for identity: ClientIdentity) -> [ParameterStatus] {
        let version = protocolVersion(of: identity).map {
            ParameterStatus(name: "server_protocol_version", value: String($0.rawValue))
        }
        return [
            ("server_version", "8.0.2"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"),
            ("integer_datetimes", "on"),
            ("padb_version", "0.1"), ("padb_revision", "redbarn"), ("external_database", "off"),
            ("datashare_enabled", "off"),
        ].map { ParameterStatus(name: $0.0, value: $0.1) } + [version].compactMap(\.self)
    }

    /// What changed since the last time.
    mutating func changes(_ settings: SessionSettings) -> [ParameterStatus] {
        var result: [ParameterStatus] = []
        for (name, setting) in ReportedParameters.settings {
            guard let value = try? settings.value(setting), sent[name] != value else { continue }
            sent[name] = value
            result.append(ParameterStatus(name: name, value: value))
        }
        return result
    }

    /// Settings among start-up parameters, with those of `options=-c name=value`.
    static func settings(of identity: ClientIdentity) -> [(name: String, value: String)] {
        var result: [(String, String)] = []
        let known = Set(SessionSettings.names)
        func add(_ name: String, _ value: String) {
            let name = name.lowercased()
            // Results and statements are UTF-8, whatever the client would like.
            if known.contains(name) && name != "client_encoding" { result.append((name, value)) }
        }
        for (name, value) in identity.parameters.sorted(by: { $0.key < $1.key }) where name != "options" {
            add(name, value)
        }
        if identity.parameters["application_name"] == nil,
            let name = identity.parameters["fallback_application_name"]
        {
            add("application_name", name)
        }
        var words = (identity.parameters["options"] ?? "").split(separator: " ")[...]
        while let word = words.popFirst() {
            var setting = word
            if word == "-c" {
                guard let next = words.popFirst() else { break }
                setting = next
            } else if word.hasPrefix("-c") || word.hasPrefix("--") {
                setting = word.dropFirst(2)
            } else {
                continue
            }
            guard let equals = setting.firstIndex(of: "=") else { continue }
            add(String(setting[..<equals]), String(setting[setting.index(after: equals)...]))
        }
        return result
    }
}
