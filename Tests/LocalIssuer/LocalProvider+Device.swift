import HTTPTypes
import Hummingbird
import OAuth
import Synchronization

/// Issues device codes (RFC 8628).
extension LocalProvider {
    /// A response of the token endpoint to a device that polls for tokens.
    public enum DeviceAnswer: String, Sendable {
        case pending = "authorization_pending"
        case slowDown = "slow_down"
        case denied = "access_denied"
        case expired = "expired_token"
        case tokens
    }

    /// Enables device codes, and sets the responses to polling devices, in order.
    ///
    /// The last response repeats. `life` is the lifetime of device codes in seconds.
    public func answerDevices(_ answers: [DeviceAnswer], life: Int64 = 600) {
        state.withLock {
            $0.deviceAnswers = answers
            $0.deviceLife = life
        }
    }

    /// The intervals between consecutive token requests by devices.
    public var devicePauses: [Duration] {
        let asked = state.withLock { $0.deviceQuestions }
        return zip(asked, asked.dropFirst()).map { $0.duration(to: $1) }
    }

    /// The number of token requests by devices.
    public var deviceQuestions: Int { state.withLock { $0.deviceQuestions.count } }

    func deviceCode(_ form: Form, _ headers: HTTPFields) -> Response {
        guard proves(form, headers), form["scope"]?.contains("openid") == true else {
            return Self.json(["error": "invalid_client"], status: .unauthorized)
        }
        let now = state.withLock { $0 }
        let page = now.lie == .metadataElsewhere ? "http://169.254.169.254/x" : issuer + "/activate"
        return Self.json([
            "device_code": "device-1", "user_code": "WDJB-MJHT", "verification_uri": .string(page),
            "verification_uri_complete": .string(page + "?user_code=WDJB-MJHT"),
            "expires_in": .int(now.deviceLife), "interval": 1,
        ])
    }

    func deviceTokens(_ code: String, _ form: Form, _ headers: HTTPFields) throws -> Response {
        guard proves(form, headers), code == "device-1",
            form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code"
        else { return Self.json(["error": "invalid_client"], status: .unauthorized) }
        let answer = state.withLock { state in
            state.deviceQuestions.append(.now)
            return state.deviceAnswers.count > 1 ? state.deviceAnswers.removeFirst() : state.deviceAnswers[0]
        }
        switch answer {
        case .pending, .slowDown, .denied, .expired:
            return Self.json(["error": .string(answer.rawValue)], status: .badRequest)
        case .tokens:
            let token = try idToken(nil, state.withLock { $0 })
            return Self.json([
                "access_token": "access-1", "token_type": "Bearer", "expires_in": 300,
                "refresh_token": .string(rotated()), "id_token": .string(token),
            ])
        }
    }
}
