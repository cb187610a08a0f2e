import CCurl
import Glibc
import Platform
import SQLTypes

/// A request, ready to be sent.
struct HTTPRequest {
    var method: String
    var url: String
    var headers: [(name: String, value: String)]
    /// Belongs to the caller until the answer is there.
    var body: UnsafeRawBufferPointer?
}

struct HTTPResponse {
    var status: Int
    /// Names in lower case; of several of one name the last.
    var headers: [String: String]
    /// What did not go to the caller's buffer.
    var body: [UInt8]
    /// Bytes in the caller's buffer.
    var count = 0
}

/// Takes the body of a successful answer as it comes. Called on the thread of the request, which may wait in it.
protocol HTTPBodySink: AnyObject {
    /// False ends the transfer.
    func take(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool
}

/// The connection broke, or never came about: the same request may succeed later.
struct HTTPBroken: Error {
    var text: String
    /// Nobody has seen the request.
    var isBeforeSending: Bool
}

/// A connection to a server, kept open between requests: one of libcurl's easy handles. One thread at a time.
final class HTTPTransfer {
    private let handle: UnsafeMutableRawPointer
    private let configuration: S3Configuration
    /// Answers that are not read into a buffer are lists and errors.
    private static let largestAnswer = 64 << 20
    private static let isReady = rb_curl_global_init() == 1

    /// What libcurl's calls fill.
    private final class Answer {
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        var buffer: UnsafeMutableRawBufferPointer?
        let sink: (any HTTPBodySink)?
        var count = 0
        var status = 0
        let cancellation: CancellationToken
        init(
            _ buffer: UnsafeMutableRawBufferPointer?, _ sink: (any HTTPBodySink)?, _ cancellation: CancellationToken
        ) {
            self.buffer = buffer
            self.sink = sink
            self.cancellation = cancellation
        }
    }

    init(_ configuration: S3Configuration) throws {
        guard HTTPTransfer.isReady, let handle = curl_easy_init() else {
            throw SQLError(.ioError, "libcurl could not be started")
        }
        self.handle = handle
        self.configuration = configuration
    }
    deinit { curl_easy_cleanup(handle) }

    /// - Parameters:
    ///   - buffer: takes the body of a successful answer; more than it holds is an error of the server.
    ///   - sink: takes it in place of a buffer.
    func perform(
        _ request: HTTPRequest, into buffer: UnsafeMutableRawBufferPointer?, sink: (any HTTPBodySink)? = nil,
        _ cancellation: CancellationToken
    ) throws -> HTTPResponse {
        try cancellation.check()
        let answer = Answer(buffer, sink, cancellation)
        curl_easy_reset(handle)
        setLimits()
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        // No types that nobody has asked for, and no waiting for permission to send a body.
        for line in request.headers.map({ "\($0.name): \($0.value)" }) + ["Expect:", "Content-Type:"] {
            guard let longer = curl_slist_append(list, line) else { throw SQLError(.outOfMemory, "out of memory") }
            list = longer
        }
        _ = rb_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        _ = rb_curl_set_string(handle, CURLOPT_URL, request.url)
        setMethod(request)
        let context = Unmanaged.passUnretained(answer).toOpaque()
        setCalls(context)
        let code = withExtendedLifetime(answer) { curl_easy_perform(handle) }
        if let reason = cancellation.reason { throw StatementCancelled(reason: reason) }
        if code != CURLE_OK { throw HTTPTransfer.broken(code) }
        return HTTPResponse(
            status: rb_curl_status(handle), headers: answer.headers, body: answer.body, count: answer.count)
    }

    private func setLimits() {
        _ = rb_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        _ = rb_curl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
        _ = rb_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        _ = rb_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = rb_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectMilliseconds)
        _ = rb_curl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
        _ = rb_curl_set_long(handle, CURLOPT_LOW_SPEED_TIME, configuration.stallSeconds)
        _ = rb_curl_set_long(handle, CURLOPT_BUFFERSIZE, 256 << 10)
        _ = rb_curl_set_long(handle, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        _ = rb_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        _ = rb_curl_set_string(handle, CURLOPT_USERAGENT, "redbarn")
    }

    private func setMethod(_ request: HTTPRequest) {
        if request.method == "HEAD" {
            _ = rb_curl_set_long(handle, CURLOPT_NOBODY, 1)
            return
        }
        if let body = request.body {
            _ = rb_curl_set_long(handle, CURLOPT_POST, 1)
            _ = rb_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            _ = rb_curl_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress ?? UnsafeRawPointer(handle))
        }
        _ = rb_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func setCalls(_ context: UnsafeMutableRawPointer) {
        _ = rb_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        _ = rb_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return HTTPTransfer.take(bytes, size * count, Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue())
        }
        _ = rb_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        _ = rb_curl_set_bytes(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            HTTPTransfer.note(line, Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue())
            return size * count
        }
        _ = rb_curl_set_long(handle, CURLOPT_NOPROGRESS, 0)
        _ = rb_curl_set_pointer(handle, CURLOPT_XFERINFODATA, context)
        _ = rb_curl_set_progress(handle) { context, _, _, _, _ in
            guard let context else { return 0 }
            return Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().cancellation.isCancelled ? 1 : 0
        }
    }

    /// Anything but the count ends the transfer.
    private static func take(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int, _ answer: Answer) -> Int {
        if let buffer = answer.buffer, (200..<300).contains(answer.status), let start = buffer.baseAddress {
            if count > buffer.count - answer.count { return 0 }
            memcpy(start + answer.count, bytes, count)
            answer.count += count
            return count
        }
        if let sink = answer.sink, (200..<300).contains(answer.status) {
            answer.count += count
            return sink.take(UnsafeRawBufferPointer(start: bytes, count: count), status: answer.status) ? count : 0
        }
        if count > HTTPTransfer.largestAnswer - answer.body.count { return 0 }
        answer.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    /// `HTTP/1.1 200 OK` begins an answer, also one after another that only announced it.
    private static func note(_ line: UnsafeRawBufferPointer, _ answer: Answer) {
        let text = String(decoding: line.prefix(8 << 10), as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            answer.headers = [:]
            answer.status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return
        }
        guard let colon = text.firstIndex(of: ":"), answer.headers.count < 256 else { return }
        let value = text[text.index(after: colon)...].split { $0 == " " || $0.isNewline || $0 == "\t" }
        answer.headers[text[..<colon].lowercased()] = value.joined(separator: " ")
    }

    private static func broken(_ code: CURLcode) -> any Error {
        let text = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST:
            return HTTPBroken(text: text, isBeforeSending: true)
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_OUT_OF_MEMORY:
            return SQLError(.ioError, "S3 cannot be reached: \(text)")
        default: return HTTPBroken(text: text, isBeforeSending: false)
        }
    }
}
