import NIOCore
import NIOSSL
import SQLTypes

/// The client's end of a connection: asks for encryption, then cuts the server's bytes into frames for the inbox.
/// Confined to its event loop.
final class ClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let address: ServerAddress
    private let tls: NIOSSLContext?
    private let inbox: Inbox
    /// Fulfilled when the server may be spoken to.
    private let ready: EventLoopPromise<Void>
    private var decoder = FrameDecoder(maximumLength: 1 << 30)
    private var awaitsEncryption: Bool

    init(address: ServerAddress, tls: NIOSSLContext?, inbox: Inbox, ready: EventLoopPromise<Void>) {
        self.address = address
        self.tls = tls
        self.inbox = inbox
        self.ready = ready
        awaitsEncryption = tls != nil
        decoder.isStartup = false
        decoder.acceptsAnyType = true
    }

    func channelActive(context: ChannelHandlerContext) {
        guard awaitsEncryption else { return ready.succeed() }
        let request: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ready.fail(SQLError("08006", "the server closed the connection"))
        inbox.close()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(SQLError("08006", "the connection failed: \(error)"))
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if awaitsEncryption { return takeAnswer(buffer, context) }
        buffer.withUnsafeReadableBytes { decoder.append($0) }
        do {
            while let frame = try decoder.next() {
                if !inbox.put(frame) { _ = context.channel.setOption(.autoRead, value: false) }
            }
        } catch {
            context.close(promise: nil)
        }
    }

    /// One byte: S or N. More would be somebody else's.
    private func takeAnswer(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        awaitsEncryption = false
        guard buffer.readableBytes == 1, let answer = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else {
            return fail("the server's answer to the request for TLS is malformed", context)
        }
        if answer == UInt8(ascii: "N") {
            if address.encryption == .prefer { return ready.succeed() }
            return fail("the server does not support TLS, but sslmode=\(address.encryption.rawValue) needs it", context)
        }
        guard answer == UInt8(ascii: "S"), let tls else {
            return fail("the server's answer to the request for TLS is malformed", context)
        }
        do {
            let isName = !address.host.allSatisfy { $0.isNumber || $0 == "." || $0 == ":" }
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: isName ? address.host : nil)
            try context.pipeline.syncOperations.addHandler(handler, position: .first)
            ready.succeed()
        } catch {
            fail("could not start TLS: \(error)", context)
        }
    }

    private func fail(_ message: String, _ context: ChannelHandlerContext) {
        ready.fail(SQLError("08001", message))
        context.close(promise: nil)
    }
}
