<?php
// The platform's library for PHP, for the mode `objects` only. ../PROGRAMS.md has the protocol. STRIPE_PHP names the folder of the library.
declare(strict_types=1);

require getenv('STRIPE_PHP') . '/init.php';

use Stripe\Stripe;

$relay = getenv('CLIENT_BASE_URL');
$key = getenv('CLIENT_SECRET_KEY');
// As infra/docs/compat.md says it.
Stripe::$apiBase = Stripe::$connectBase = Stripe::$apiUploadBase = $relay;
$stripe = new \Stripe\StripeClient(['api_key' => $key, 'api_base' => $relay, 'connect_base' => $relay, 'files_base' => $relay, 'meter_events_base' => $relay]);
Stripe::setApiKey($key);
// Without one the library does not even try what belongs to connected accounts.
Stripe::setClientId('ca_none');

foreach (range(1, 3) as $_) {
    $intent = $stripe->paymentIntents->create(['amount' => 1250, 'currency' => 'eur']);
}
$endpoint = $stripe->webhookEndpoints->create(['url' => getenv('CLIENT_HOOK_URL'), 'enabled_events' => ['*']]);
$objects = [
    $intent,
    \Stripe\Charge::constructFrom(['id' => 'ch_none', 'object' => 'charge'], ['api_key' => $key]),
    \Stripe\Refund::constructFrom(['id' => 're_none', 'object' => 'refund'], ['api_key' => $key]),
    $stripe->events->all(['limit' => 1])->data[0],
    $stripe->paymentIntents->all(['limit' => 1]),
    $stripe->accounts->retrieve(null, []),
    $endpoint,
];
foreach ($objects as $object) {
    foreach (methodsOf($object) as $method) {
        call(get_class($object) . '::' . $method->getName(), fn () => drain($method->invokeArgs($method->isStatic() ? null : $object, argumentsOf($method, $object))));
    }
}

/** What the class of an object offers beside what every object is made of. */
function methodsOf(object $object): array
{
    $own = fn (ReflectionMethod $method) => !in_array($method->getDeclaringClass()->getName(), [\Stripe\StripeObject::class, \Stripe\ApiResource::class], true)
        || in_array($method->getName(), ['refresh', 'save'], true);
    $isNamed = fn (ReflectionMethod $method) => !str_starts_with($method->getName(), '_') && !str_ends_with($method->getName(), 'Url');
    $methods = (new ReflectionClass($object))->getMethods(ReflectionMethod::IS_PUBLIC);

    return array_filter($methods, fn (ReflectionMethod $method) => $own($method) && $isNamed($method));
}

function argumentsOf(ReflectionMethod $method, object $object): array
{
    return array_map(fn (ReflectionParameter $parameter) => match (true) {
        $parameter->isDefaultValueAvailable() => $parameter->getDefaultValue(),
        'params' === $parameter->getName() => [],
        'id' === $parameter->getName() => $object->id ?? 'none',
        default => 'none',
    }, $method->getParameters());
}

/** The next page is fetched by iterating beyond the first. */
function drain(mixed $answer): void
{
    if ($answer instanceof Generator) {
        foreach ($answer as $index => $_) {
            if ($index > 1) {
                break;
            }
        }
    }
}

/** Whatever the relay answers is fine. A call that goes elsewhere, where nobody can be reached, is not. */
function call(string $name, callable $call): void
{
    try {
        $call();
    } catch (\Stripe\Exception\ApiConnectionException $error) {
        fwrite(STDERR, "{$name}: {$error->getMessage()}\n");
        exit(1);
    } catch (Throwable) {
        // The relay's refusal, or an argument that the library itself does not take.
    }
    echo json_encode(['called' => $name]), "\n";
}
