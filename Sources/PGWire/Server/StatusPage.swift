import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// `/healthz` and `/metrics` over HTTP.
final class StatusPage: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let statistics: ServerStatistics
    private let logins: PendingLogins
    private var path = ""
    private var pending: Int?
    private var timeout: Scheduled<Void>?
    private static let timeoutSeconds: Int64 = 10

    init(_ context: ServerContext) {
        statistics = context.statistics
        logins = context.logins
    }

    static func bootstrap(_ group: MultiThreadedEventLoopGroup, _ server: ServerContext) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer(AcceptPause.initialize)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(StatusPage(server))
                }
            }
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        pending = logins.add(nowNanoseconds: SystemTime().monotonicNanoseconds()) { channel.close(promise: nil) }
        if pending == nil { return context.close(promise: nil) }
        timeout = context.eventLoop.scheduleTask(in: .seconds(StatusPage.timeoutSeconds)) {
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        if let pending { logins.remove(pending) }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): path = head.uri
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        switch path {
        case "/healthz": send(.ok, "ok\n", context)
        case "/metrics": send(.ok, statistics.page, context)
        default: send(.notFound, "not found\n", context)
        }
    }

    private func send(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: "text/plain; version=0.0.4; charset=utf-8")
        headers.add(name: "content-length", value: String(text.utf8.count))
        headers.add(name: "connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
