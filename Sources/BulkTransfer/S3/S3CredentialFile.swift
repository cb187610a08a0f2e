import Platform
import SQLTypes

/// Files of keys in the form of AWS's tools: a section for each profile, or for each role.
///
///     [default]
///     aws_access_key_id = AKIA...
///     aws_secret_access_key = ...
///     [arn:aws:iam::123456789012:role/Loader]
///     aws_access_key_id = ...
package enum S3CredentialFile {
    /// Nothing when there is no such file.
    package static func text(_ path: String?, _ fileSystem: any FileSystem) throws -> String {
        guard let path else { return "" }
        do {
            guard let status = try fileSystem.status(path), !status.isDirectory, status.size < 1 << 20 else {
                return ""
            }
            return String(decoding: try fileSystem.readAll(path), as: UTF8.self)
        } catch { throw SQLError(error) }
    }

    /// Keys by the name of their section. Sections without both keys are left out.
    package static func parse(_ text: String) -> [String: S3Credentials] {
        sections(text).compactMapValues { values in
            guard let access = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
                return nil
            }
            return S3Credentials(accessKey: access, secretKey: secret, sessionToken: values["aws_session_token"])
        }
    }

    /// Settings of each section; `[profile x]` of configuration files is `x`.
    package static func sections(_ text: String) -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        var section = ""
        for raw in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(raw)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = trimmed(line.dropFirst().dropLast())
                if section.hasPrefix("profile ") { section = trimmed(section.dropFirst("profile ".count)) }
            } else if let equals = line.firstIndex(of: "=") {
                let name = trimmed(line[..<equals]).lowercased()
                result[section, default: [:]][name] = trimmed(line[line.index(after: equals)...])
            }
        }
        return result
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[first...last])
    }
}
