import HTTPTypes
import OAuth

enum OpenAPIRoute {
    static let task: JSONValue = [
        "type": "object",
        "properties": [
            "id": ["type": "string"], "task": ["type": "string"], "owner": ["type": "string"],
            "completed": ["type": "boolean"], "creationDate": ["type": "string", "format": "date-time"],
        ],
        "required": ["id", "task", "owner", "completed", "creationDate"],
    ]

    private static let taskBody: JSONValue = [
        "required": true,
        "content": [
            "application/json": [
                "schema": ["type": "object", "properties": ["task": ["type": "string"]], "required": ["task"]]
            ]
        ],
    ]

    /// Returns the operation object of a route, or a generic object if the route has no description.
    static func operation(_ method: HTTPRequest.Method, _ path: String) -> JSONValue {
        let known = described["\(method.rawValue) \(path)"]
        var operation = known ?? ["summary": "An endpoint of this server.", "responses": ["default": anything]]
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().dropLast())
            return OpenAPIPart.parameter(name, "path", ["type": "string"], "Part of the path.")
        }
        if !names.isEmpty { operation["parameters"] = .array(names) }
        return .object(operation)
    }

    private static let anything = OpenAPIPart.answer("The response.")

    private static let described: [String: [String: JSONValue]] = {
        var all: [String: [String: JSONValue]] = [
            "GET /healthz": open("Reports whether the server is running.", "It is running."),
            "GET /readyz": open("Reports readiness.", "The server is ready.", refusals: ["503": "It is not."]),
            "GET /metrics": open(
                "Returns metrics, to local callers only and only without a proxy.",
                "The metrics in text format.",
                type: "text/plain"
            ),
            "GET /openapi.json": open("Returns this document.", "An OpenAPI 3.1 document."),
            "GET \(ProtectedResource.wellKnown)": open(
                "Returns the authorities and scopes of this API (RFC 9728).",
                "The metadata of the protected resource.",
                refusals: ["503": "The local authority is unavailable."]
            ),
            "GET /.auth/me": closed(
                "Describes the token's identity.",
                ["type": "array", "items": ["type": "object"]],
                refusals: ["401": "There is no token, or it is not valid."]
            ),
            "GET /.auth/logout": ending, "POST /.auth/logout": ending,
            "GET /.auth/refresh": open("Token renewal.", nil, refusals: ["400": "It is not supported."]),
            "GET /protected": closed(
                "Describes the token's user.",
                [
                    "type": "object",
                    "properties": [
                        "id": ["type": "string"], "displayName": ["type": ["string", "null"]],
                        "authBy": ["type": ["string", "null"]], "attributes": ["type": "object"],
                    ],
                ],
                refusals: ["401": "There is no token, or it is not valid."]
            ),
            "GET /api/balance": closed(
                "Returns a value that requires additional verification.",
                ["type": "object", "properties": ["balance": ["type": "string"]]],
                refusals: ["401": "The token is missing, or its user must pass additional verification (RFC 9470)."]
            ),
            "GET /api/tasks": closed(
                "Lists the user's tasks, oldest first.",
                ["type": "array", "items": OpenAPIPart.reference("task")],
                parameters: OpenAPITable.paging,
                refusals: refusals
            ),
            "POST /api/tasks": closed(
                "Adds a task.",
                OpenAPIPart.reference("task"),
                status: "201",
                body: taskBody,
                refusals: refusals
            ),
            "DELETE /api/tasks": closed(
                "Deletes the user's task with exactly this text.",
                nil,
                status: "204",
                body: taskBody,
                refusals: refusals.merging(["404": "No task matches.", "409": "Several tasks match."]) { $1 }
            ),
            "DELETE /api/tasks/{id}": closed(
                "Deletes a task.",
                nil,
                status: "204",
                refusals: refusals.merging(["404": "The task does not exist."]) { $1 }
            ),
        ]
        for prefix in ["/.auth/login", "/login"] {
            all["GET \(prefix)/{provider}"] = open(
                "Starts a sign-in in a browser. It ends at `done` with a token or an error.",
                nil,
                refusals: ["303": "Redirects the browser to the authority.", "400": "A parameter is not valid."]
            )
            all["POST \(prefix)/{provider}"] = open(
                "Exchanges an identity provider's token.",
                "A token of the authority, and the user's id.",
                refusals: ["400": "The body has no token.", "401": "The token is not accepted."]
            )
            all["GET \(prefix)/done"] = open("Shows the result of a sign-in.", "The page.", type: "text/html")
            all["GET \(prefix)/done.js"] = open("Returns the page's script.", "The script.", type: "text/javascript")
            all["GET \(prefix)/done.css"] = open("Returns the page's styles.", "The style sheet.", type: "text/css")
        }
        for path in ["/.auth/login/callback", "/auth/openid/return"] {
            all["GET \(path)"] = open(
                "Completes a sign-in when the authority redirects the browser back.",
                nil,
                refusals: ["303": "The sign-in is complete.", "400": "This browser did not start the sign-in."]
            )
        }
        for method in PushRoutes.methods {
            let summary = "Registers for push notifications. This server does not support them."
            all["\(method.rawValue) /push/{rest}"] = open(summary, nil, refusals: ["501": "Not supported."])
        }
        return all
    }()

    private static let ending = closed(
        "Revokes the token on this server.",
        nil,
        status: "204",
        refusals: ["401": "There is no token, or it is not valid."]
    )

    private static let refusals = [
        "400": "The request is not valid.", "401": "The token is missing or not valid.",
        "403": "The token does not grant access.",
    ]

    private static func open(
        _ summary: String,
        _ success: String?,
        type: String = "application/json",
        refusals: [String: String] = [:]
    ) -> [String: JSONValue] {
        var responses = refusals.mapValues(OpenAPIPart.refusal)
        if let success {
            let schema: JSONValue = type == "application/json" ? ["type": "object"] : ["type": "string"]
            responses["200"] = OpenAPIPart.answer(success, schema, type)
        }
        return ["summary": .string(summary), "responses": .object(responses), "security": []]
    }

    private static func closed(
        _ summary: String,
        _ schema: JSONValue?,
        status: String = "200",
        body: JSONValue? = nil,
        parameters: [JSONValue]? = nil,
        refusals: [String: String]
    ) -> [String: JSONValue] {
        var responses = refusals.mapValues(OpenAPIPart.refusal)
        responses[status] = OpenAPIPart.answer("Done.", schema)
        var operation: [String: JSONValue] = [
            "summary": .string(summary), "responses": .object(responses), "security": OpenAPIPart.token,
        ]
        operation["requestBody"] = body
        operation["parameters"] = parameters.map { .array($0) }
        return operation
    }
}
