import SQLTypes

/// What a statement says of who asks an object store, and where that is: IAM_ROLE, CREDENTIALS, ACCESS_KEY_ID and
/// REGION. Local files need none of it.
package struct StorageAccess: Sendable, Hashable {
    /// The ARN of a role, or `default`.
    package var role: String?
    package var credentials: S3Credentials?
    package var region: String?
    /// How objects are encrypted by the store that keeps them; nil for its own default.
    package var encryption: Encryption?
    package enum Encryption: Sendable, Hashable {
        case storeKeys
        /// nil for the account's default key.
        case managedKey(String?)
    }
    /// Files are encrypted on this side, each with a key that this one seals.
    package var masterKey: MasterSymmetricKey?
    package init() {}

    /// - Parameter seen: the statement's options by name; checked elsewhere for duplicates.
    init(_ seen: [String: RawCopyOption]) throws {
        if let option = seen["IAM_ROLE"] { role = try StorageAccess.value(option) }
        if let option = seen["REGION"] { region = try StorageAccess.region(option) }
        if let option = seen["CREDENTIALS"] {
            do { try read(try StorageAccess.value(option)) } catch let error as SQLError {
                throw error.at(option.position)
            }
        }
        if let option = seen["MASTER_SYMMETRIC_KEY"] {
            let text = try StorageAccess.value(option)
            do { masterKey = try MasterSymmetricKey(text) } catch let error as SQLError {
                throw error.at(option.position)
            }
        }
        if masterKey != nil, seen["ENCRYPTED"] == nil {
            throw SQLError(
                .syntaxError, "MASTER_SYMMETRIC_KEY needs ENCRYPTED",
                position: (seen["MASTER_SYMMETRIC_KEY"] ?? seen["CREDENTIALS"])?.position)
        }
        if let option = seen["ACCESS_KEY_ID"] {
            guard let secret = seen["SECRET_ACCESS_KEY"] else {
                throw SQLError(
                    .syntaxError, "ACCESS_KEY_ID needs SECRET_ACCESS_KEY", position: option.position)
            }
            credentials = S3Credentials(
                accessKey: try StorageAccess.value(option), secretKey: try StorageAccess.value(secret),
                sessionToken: try seen["SESSION_TOKEN"].map(StorageAccess.value))
        }
    }

    private static func value(_ option: RawCopyOption) throws -> String {
        guard option.values.count == 1, let value = option.values.first, !value.text.isEmpty else {
            throw SQLError(.syntaxError, "\(option.name) needs a value", position: option.position)
        }
        try check(value.text, option.name, position: option.position)
        return value.text
    }

    /// Values become parts of headers and of host names.
    private static func check(_ text: String, _ name: String, position: Int? = nil) throws {
        if text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) { return }
        throw SQLError(
            .invalidParameterValue, "\(name) has characters that no \(name.lowercased()) has", position: position)
    }

    private static func region(_ option: RawCopyOption) throws -> String {
        let region = try value(option)
        let isPlain = region.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        if isPlain && region.utf8.count <= 64 { return region }
        throw SQLError(.invalidParameterValue, "\"\(region)\" is no region", position: option.position)
    }

    /// `aws_iam_role=arn`, or `aws_access_key_id=a;aws_secret_access_key=s[;token=t]`, and `master_symmetric_key=k`.
    private mutating func read(_ text: String) throws {
        var values: [String: String] = [:]
        for part in text.split(separator: ";") {
            guard let equals = part.firstIndex(of: "=") else { throw StorageAccess.invalidCredentials() }
            let name = part[..<equals].lowercased()
            let isKnown = [
                "aws_iam_role", "aws_access_key_id", "aws_secret_access_key", "token", "aws_session_token",
                "master_symmetric_key",
            ].contains(name)
            guard isKnown, values.updateValue(String(part[part.index(after: equals)...]), forKey: name) == nil
            else { throw StorageAccess.invalidCredentials() }
        }
        if let key = values["master_symmetric_key"] {
            if masterKey != nil { throw StorageAccess.invalidCredentials() }
            masterKey = try MasterSymmetricKey(key)
        }
        if let named = values["aws_iam_role"] { role = named }
        guard let access = values["aws_access_key_id"] else {
            if role == nil && masterKey == nil { throw StorageAccess.invalidCredentials() }
            return
        }
        guard let secret = values["aws_secret_access_key"] else { throw StorageAccess.invalidCredentials() }
        credentials = S3Credentials(
            accessKey: access, secretKey: secret, sessionToken: values["token"] ?? values["aws_session_token"])
    }

    /// In Redshift's words.
    private static func invalidCredentials() -> SQLError {
        SQLError(
            .internalError,
            "Invalid credentials. Must be of the format: credentials 'aws_iam_role=...' or "
                + "'aws_access_key_id=...;aws_secret_access_key=...[;token=...]'")
    }
}
