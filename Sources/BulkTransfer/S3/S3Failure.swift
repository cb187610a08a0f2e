import SQLTypes

/// What S3 has refused.
struct S3Failure: Error {
    var status: Int
    /// `NoSuchKey`, `AccessDenied`; the status when the server has sent none.
    var code: String
    var message: String
    var requestID: String
    var attempts: Int

    /// nil for an answer of success. Completing an upload may fail after the server has begun with 200.
    init?(_ response: HTTPResponse, attempts: Int) {
        let isError = !(200..<300).contains(response.status)
        if !isError && !S3Failure.beginsWithError(response.body) { return nil }
        let values = S3Failure.values(response.body)
        status = response.status
        code = values["Code"] ?? S3Failure.code(response.status)
        message = values["Message"] ?? S3Failure.message(response.status)
        if let region = response.headers["x-amz-bucket-region"] ?? values["Region"], code != "AccessDenied",
            [301, 307, 400].contains(status)
        {
            message = "The bucket is in this region: \(region). Please use this region to retry the request"
        }
        requestID = values["RequestId"] ?? response.headers["x-amz-request-id"] ?? ""
        self.attempts = attempts
    }

    private static func beginsWithError(_ body: [UInt8]) -> Bool {
        guard !body.isEmpty, body.count < 64 << 10 else { return false }
        return String(decoding: body.prefix(256), as: UTF8.self).contains("<Error>")
    }

    /// Pages of proxies are no XML: there is nothing more in them then.
    private static func values(_ body: [UInt8]) -> [String: String] {
        guard !body.isEmpty, body.count < 64 << 10 else { return [:] }
        do { return try XMLScanner.records(body, of: "Error").first ?? [:] } catch { return [:] }
    }

    private static func code(_ status: Int) -> String {
        switch status {
        case 301: "PermanentRedirect"
        case 403: "AccessDenied"
        case 404: "NoSuchKey"
        case 412: "PreconditionFailed"
        case 503: "SlowDown"
        default: "\(status)"
        }
    }

    private static func message(_ status: Int) -> String {
        switch status {
        case 301: "The bucket is in another region"
        case 403: "Access Denied"
        case 404: "The specified key does not exist."
        case 503: "Please reduce your request rate."
        default: "S3 has answered with status \(status)"
        }
    }

    /// The same request may succeed later.
    var mayPass: Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
            || ["SlowDown", "InternalError", "RequestTimeout", "ServiceUnavailable"].contains(code)
    }

    var isMissing: Bool { status == 404 }

    /// In Redshift's words.
    var error: SQLError {
        var text = "S3ServiceException:\(message),Status \(status),Error \(code)"
        if !requestID.isEmpty { text += ",Rid \(requestID)" }
        text += ",CanRetry \(mayPass ? 1 : 0)"
        return SQLError(
            .internalError, text, detail: attempts > 1 ? "\(attempts) attempts." : nil, hint: hint)
    }

    private var hint: String? {
        switch code {
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "InvalidToken":
            "Check the keys of the statement, of the role, or of the server's environment."
        case "ExpiredToken": "Ask for new temporary keys."
        case "PermanentRedirect", "AuthorizationHeaderMalformed": "Name the region: REGION 'name'."
        default: nil
        }
    }
}
