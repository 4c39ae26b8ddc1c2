import HTTPServer
import HTTPTypes
import Hummingbird

/// `/push/…`: the registration for push notifications that the protocol's clients expect; this server sends none.
enum PushRoutes {
    static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

    static func add(to router: Router<HTTPContext>) {
        for method in methods {
            router.on("push/**", method: method) { _, _ -> Response in
                throw HTTPProblem(
                    .notImplemented,
                    code: "not_implemented",
                    message: "this server sends no push notifications, so there is nothing to register for"
                )
            }
        }
    }
}
