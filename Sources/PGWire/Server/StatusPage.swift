import NIOCore
import NIOHTTP1
import NIOPosix

/// `/healthz` and `/metrics` over HTTP.
final class StatusPage: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let statistics: ServerStatistics
    private var path = ""

    init(_ statistics: ServerStatistics) { self.statistics = statistics }

    static func bootstrap(_ group: MultiThreadedEventLoopGroup, _ statistics: ServerStatistics)
        -> ServerBootstrap
    {
        ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(StatusPage(statistics))
                }
            }
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
