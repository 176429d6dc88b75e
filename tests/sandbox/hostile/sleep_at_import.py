# verdict: WTLE
# message: Loading your file gave no answer
import time

time.sleep(60)
